// Unpacks an archive in the way that Go's documentation gives: names that are not local are refused.
package main

import (
	"archive/zip"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

func extract(source fs.FS, name, target string) error {
	content, err := fs.ReadFile(source, name)
	if err != nil {
		return err
	}
	path := filepath.Join(target, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o600)
}

func run(archive, target string) error {
	reader, err := zip.OpenReader(archive)
	if err != nil {
		return err
	}
	defer reader.Close()
	for _, file := range reader.File {
		if !filepath.IsLocal(file.Name) {
			return fmt.Errorf("%q is not local", file.Name)
		}
		if err := extract(reader, file.Name, target); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
