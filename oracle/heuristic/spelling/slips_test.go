package spelling

import "testing"

func TestMend(t *testing.T) {
	known := Words{}
	known.Learn("The container was rebuilt in the Environment; importing certificate")
	for said, want := range map[string]string{
		"the contianer and the certifcate": "the container and the certificate",
		"containers, imports, exporting":   "containers, imports, exporting",
		"contained":                        "contained",
		"certificcate twice certificate":   "certificate twice certificate",
	} {
		if got := known.Mend(said); got != want {
			t.Errorf("Mend(%q) = %q, want %q", said, got, want)
		}
	}
}
