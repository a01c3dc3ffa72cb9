//go:build !unix

package rule_test

import "errors"

func pipe(string) error { return errors.ErrUnsupported }
