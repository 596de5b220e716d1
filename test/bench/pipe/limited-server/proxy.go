package main

import (
	"net/http"
	"net/http/httputil"
	"net/url"
)

// Passes requests on with their Host header, which is part of the signature of S3.
func proxyTo(target string) (http.Handler, error) {
	to, err := url.Parse(target)
	if err != nil {
		return nil, err
	}
	return &httputil.ReverseProxy{
		Rewrite: func(request *httputil.ProxyRequest) {
			request.SetURL(to)
			request.Out.Host = request.In.Host
		},
		Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64},
	}, nil
}
