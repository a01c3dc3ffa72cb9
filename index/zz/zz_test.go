package zz
import ("testing";"context";"mem/repo";"time";"mem/facts";"mem/index";"fmt")
func BenchmarkView(b *testing.B){ for i:=0;i<b.N;i++{ r,err:=repo.Open("/srv/try/bn/new/.mem",repo.Options{}); if err!=nil{b.Fatal(err)}; if _,err:=r.View(time.Now());err!=nil{b.Fatal(err)}; r.Close()}}
var n int
func BenchmarkSettle(b *testing.B){ for i:=0;i<b.N;i++{ n++; r,err:=repo.Open("/srv/try/bn/new/.mem",repo.Options{}); if err!=nil{b.Fatal(err)}; _,err=r.Settle(context.Background(),time.Now(),func(m *repo.Memory)(repo.Message,error){ m.Learn(facts.Fact{Fixes: []index.Lesson{{Text: fmt.Sprintf("bench lesson %d %d",n,time.Now().UnixNano())}}}); return repo.Message{Subject:"x"},nil}); if err!=nil{b.Fatal(err)}; r.Close()}}
