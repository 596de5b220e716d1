module limited-server.zipjobs.dev

go 1.25.0
