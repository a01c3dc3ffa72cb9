//go:build !unix

package curate

import "errors"

func pipe(string) error { return errors.ErrUnsupported }
