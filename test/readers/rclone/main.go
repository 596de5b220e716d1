// rclone with its archive backend, and of everything else just what reads one file of an archive at an HTTP server.
package main

import (
	_ "github.com/rclone/rclone/backend/archive"
	_ "github.com/rclone/rclone/backend/http"
	"github.com/rclone/rclone/cmd"
	_ "github.com/rclone/rclone/cmd/cat"
)

func main() { cmd.Main() }
