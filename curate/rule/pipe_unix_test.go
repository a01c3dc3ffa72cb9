//go:build unix

package rule_test

import "syscall"

func pipe(path string) error { return syscall.Mkfifo(path, 0o600) }
