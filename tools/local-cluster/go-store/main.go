// The local cluster's S3 server: versitygw over a folder, without its other backends and its own test suite.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/embedgw"
)

// The defaults of versitygw's own command.
const (
	directoryPermissions = 0o755
	filePermissions      = 0o644
	copyThreshold        = 5 << 30
	concurrency          = 5000
	bufferSize           = 1 << 20
	maxConnections       = 250_000
	maxRequests          = 100_000
	maxParts             = 10_000
)

// versitygw --port ADDRESS [--health PATH] [--cert FILE --key FILE] posix --sidecar FOLDER ROOT
func main() {
	port := flag.String("port", ":7070", "address to listen on")
	health := flag.String("health", "", "path of the health check")
	certificate := flag.String("cert", "", "file of the certificate, for HTTPS")
	key := flag.String("key", "", "file of its private key")
	flag.Parse()
	posixFlags := flag.NewFlagSet("posix", flag.ExitOnError)
	sidecar := posixFlags.String("sidecar", "", "folder for metadata")
	if flag.Arg(0) != "posix" || posixFlags.Parse(flag.Args()[1:]) != nil || *sidecar == "" || posixFlags.NArg() != 1 {
		fail(fmt.Errorf("usage: versitygw --port ADDRESS [--health PATH] [--cert FILE --key FILE] posix --sidecar FOLDER ROOT"))
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	fail(serve(ctx, place{root: posixFlags.Arg(0), sidecar: *sidecar}, &embedgw.Config{
		RootUserAccess:    os.Getenv("ROOT_ACCESS_KEY"),
		RootUserSecret:    os.Getenv("ROOT_SECRET_KEY"),
		Region:            os.Getenv("VGW_REGION"),
		Ports:             []string{*port},
		HealthPath:        *health,
		CertFile:          *certificate,
		KeyFile:           *key,
		MaxConnections:    maxConnections,
		MaxRequests:       maxRequests,
		MultipartMaxParts: maxParts,
		// As object stores do. Otherwise each request costs a TLS handshake.
		KeepAlive: true,
	}))
}

type place struct {
	root    string
	sidecar string
}

func serve(ctx context.Context, at place, config *embedgw.Config) error {
	metadata, err := meta.NewSideCar(at.sidecar)
	if err != nil {
		return err
	}
	options := posix.PosixOpts{
		SideCarDir:          at.sidecar,
		Concurrency:         concurrency,
		IOBufferSize:        bufferSize,
		CopyObjectThreshold: copyThreshold,
	}
	options.SetNewDirPerm(directoryPermissions)
	options.SetNewFilePerm(filePermissions)
	backend, err := posix.New(at.root, metadata, options)
	if err != nil {
		return err
	}
	return embedgw.RunVersityGW(ctx, backend, config)
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}
