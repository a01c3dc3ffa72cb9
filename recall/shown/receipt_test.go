package shown_test

import (
	"fmt"
	"testing"
	"time"

	"mem/recall/shown"
)

var t0 = time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)

func FuzzParseReceipts(f *testing.F) {
	f.Add([]byte(`{"at":"2026-02-03T04:05:06Z","agent":"pi","session":"s","tokens":3,"items":["m-1"]}` + "\n"))
	f.Add([]byte("{\"session\":\"x\"}\n\xff{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		old := shown.ParseReceipts(data)
		file := shown.AddReceipt(data, shown.Receipt{At: t0, Session: "s", Items: []string{}})
		list := shown.ParseReceipts(file)
		if len(list) == 0 || len(list) > 500 || list[len(list)-1].Session != "s" || len(list) > len(old)+1 {
			t.Fatalf("%d receipts after %d", len(list), len(old))
		}
	})
}

func TestReceiptsAreBounded(t *testing.T) {
	var file []byte
	for i := range 502 {
		file = shown.AddReceipt(file, shown.Receipt{At: t0, Session: fmt.Sprint(i), Items: []string{}})
	}
	list := shown.ParseReceipts(append(file, `{"at":"2026-02-03T04:05:06Z","sess`...))
	if len(list) != 500 || list[0].Session != "2" || list[499].Session != "501" {
		t.Errorf("%d receipts, from %s to %s", len(list), list[0].Session, list[len(list)-1].Session)
	}
}
