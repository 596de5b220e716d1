package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
)

// Files that are downloaded ahead of the one that is written.
const window = 64

// One file: its first bytes in memory, and the rest of its body unless that was all.
type file struct {
	head []byte
	rest io.ReadCloser
	err  error
}

// Writes all files in the order of the list. Each download ahead reads at most its share of the buffer.
func download(ctx context.Context, client *http.Client, work job, parts *partWriter) error {
	connections := make(chan struct{}, work.Downloads)
	buffers := make(chan []byte, window)
	for range window {
		buffers <- nil
	}
	files := make([]chan file, len(work.URLs))
	for index := range files {
		files[index] = make(chan file, 1)
	}
	go func() {
		for index, url := range work.URLs {
			buffer := <-buffers
			connections <- struct{}{}
			if buffer == nil {
				buffer = make([]byte, work.BufferBytes/window)
			}
			go func() { files[index] <- open(ctx, client, url, buffer, connections) }()
		}
	}()
	for index := range files {
		one := <-files[index]
		if one.err != nil {
			return one.err
		}
		if err := write(ctx, one, parts); err != nil {
			return err
		}
		if one.rest != nil {
			one.rest.Close()
			<-connections
		}
		buffers <- one.head[:cap(one.head)]
	}
	return nil
}

func open(ctx context.Context, client *http.Client, url string, buffer []byte, connections chan struct{}) file {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return file{err: err}
	}
	response, err := client.Do(request)
	if err != nil {
		return file{err: err}
	}
	if response.StatusCode != http.StatusOK {
		return file{err: fmt.Errorf("%s: status %d", url, response.StatusCode)}
	}
	count, err := io.ReadFull(response.Body, buffer)
	if err == nil {
		return file{head: buffer, rest: response.Body}
	}
	if err != io.EOF && err != io.ErrUnexpectedEOF {
		return file{err: err}
	}
	if int64(count) != response.ContentLength {
		return file{err: fmt.Errorf("%s: %d of %d bytes", url, count, response.ContentLength)}
	}
	response.Body.Close()
	<-connections
	return file{head: buffer[:count]}
}

// The rest goes from the connection straight into the part.
func write(ctx context.Context, one file, parts *partWriter) error {
	for from := 0; from < len(one.head); {
		room := parts.room()
		count := copy(room, one.head[from:])
		parts.add(count)
		from += count
	}
	for one.rest != nil && ctx.Err() == nil {
		count, err := one.rest.Read(parts.room())
		parts.add(count)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}
