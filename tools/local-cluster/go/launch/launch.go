// Package launch makes a process end with the process that started it, however that one ends: a test run that was
// killed must leave neither an etcd nor a pod behind. `cluster run PROGRAM ARGUMENTS` becomes PROGRAM, bound that way.
//
// It works while packages are being set up. Go does that in the order of import paths as soon as what a package
// imports is ready, so this one, which needs little and sorts early, comes before all of Kubernetes: the command
// costs milliseconds although the program around it is large.
package launch

import (
	"os"
	"syscall"
)

const (
	prSetParentDeathSignal = 1
	exitCannotRun          = 126
)

func init() {
	if len(os.Args) < 3 || os.Args[1] != "run" {
		return
	}
	// The setting belongs to a thread and outlives exec on the main one, which is the thread that sets packages up.
	_, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prSetParentDeathSignal, uintptr(syscall.SIGKILL), 0)
	if errno != 0 {
		exit("ask the kernel to end with the parent: " + errno.Error())
	}
	err := syscall.Exec(os.Args[2], os.Args[2:], os.Environ())
	exit("run " + os.Args[2] + ": " + err.Error())
}

func exit(message string) {
	os.Stderr.WriteString("Error: " + message + "\n")
	os.Exit(exitCannotRun)
}
