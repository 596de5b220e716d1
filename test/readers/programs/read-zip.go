// Prints the SHA-256, the modification time (seconds since 1970) and the name of each entry of an archive, each ended by a NUL.
package main

import (
	"archive/zip"
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
)

func digest(file *zip.File) (string, error) {
	content, err := file.Open()
	if err != nil {
		return "", err
	}
	defer content.Close()
	hash := sha256.New()
	_, err = io.Copy(hash, content)
	return fmt.Sprintf("%x", hash.Sum(nil)), err
}

func run(archive string, out io.Writer) error {
	reader, err := zip.OpenReader(archive)
	if err != nil {
		return err
	}
	defer reader.Close()
	for _, file := range reader.File {
		sum, err := digest(file)
		if err != nil {
			return fmt.Errorf("%s: %w", file.Name, err)
		}
		fmt.Fprintf(out, "%s\x00%d\x00%s\x00", sum, file.Modified.Unix(), file.Name)
	}
	return nil
}

func main() {
	out := bufio.NewWriter(os.Stdout)
	err := run(os.Args[1], out)
	out.Flush()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
