package hint

import (
	"slices"
	"strings"

	"mem/lazy"
	"mem/oracle/heuristic/input"
	"mem/oracle/heuristic/shell"
	"mem/oracle/heuristic/speech"
)

// How long what a person types is at most, in bytes, if it asks to remember something, or
// corrects the agent. What is longer is a task.
const (
	maxAsked     = 1200
	maxCorrected = 400
)

// AsksToNote reports whether a prompt reads as if it corrected the agent or asked it to remember
// something. What was pasted does not count, nor does a task; in doubt it is neither.
func AsksToNote(prompt string) bool {
	if len(prompt) > 8*maxAsked || strings.IndexAny(strings.TrimSpace(prompt)+" ", "/<#[") == 0 || !matches(remembers, prompt) && !matches(corrects, prompt) {
		return false
	}
	own, _ := speech.SplitPasted(prompt)
	if own == "" && !strings.Contains(prompt, "\n") { // it quotes something behind what it says
		own = prompt[:max(0, strings.IndexAny(prompt, "\"“`"))]
	}
	return len(own) <= maxAsked && matches(remembers, own) || len(own) <= maxCorrected && matches(corrects, own)
}

func matches(list []*lazy.Regexp, text string) bool {
	return slices.ContainsFunc(list, func(r *lazy.Regexp) bool { return r.Matches(text) })
}

// begins is where a sentence does, or what leads into one.
const begins = `(?:^|[.!?,;:(\n-] *|\b(?:and|also|but|so|please|ok|just|must|should) )`

// What asks to remember something: in English, German, French, Spanish, Portuguese, Japanese,
// Chinese, Korean and Russian.
var remembers = []*lazy.Regexp{
	lazy.New(`(?i)` + begins + `(?:remember(?::| (?:that|this|to|it|not|for|when|always|never)\b)|(?:the )?next time[, ]+(?:you|please|use|do|don't|run|ask|check|make|let|we)\b)`),
	lazy.New(`(?i)\bfrom (?:now|here) on\b|\bfor (?:future reference|next time)\b|\b(?:going forward|in (?:the )?future), |\b(?:document|note|save|keep) (?:this|that|it) as (?:a )?(?:learning|lesson|rule)\b`),
	lazy.New(`(?i)\b(?:make a note|take note|note (?:this|that) down|memori[sz]e (?:this|that)|(?:add|save|put|write|commit) (?:this|that|it) (?:in|to|into) (?:your |the |our )?(?:memory|lessons?|notes))\b`),
	lazy.New(`(?i)\b(?:ab (?:jetzt|sofort)|von (?:jetzt|nun) an|in zukunft|merke? dir|denk daran, dass)\b|k(?:ü|ue)nftig\b|n(?:ä|ae)chstes mal\b`),
	lazy.New(`(?i)partir de maintenant|dor[ée]navant|d[ée]sormais|la prochaine fois|à l['’]avenir|souviens-toi|rappelle-toi|retiens que`),
	lazy.New(`(?i)de ahora en adelante|a partir de ahora|la pr[óo]xima vez|recuerda (?:que|esto)|acu[ée]rdate|no olvides que`),
	lazy.New(`(?i)de agora em diante|a partir de agora|[dn]a pr[óo]xima vez|lembre-se|lembra(?:-te)? (?:que|disso)`),
	lazy.New(`今後は|これからは|次(?:から|回)は|覚えておいて|从现在(?:起|开始)|從現在|今后|以[后後](?:请|請|都|要|不要|别|別)|下次|[记記]住`),
	lazy.New(`앞으로는|다음(?:부터|에는|번에는)|지금부터|기억해|(?i)отныне|с этого момента|впредь|в следующий раз|запомни`),
}

// What corrects the agent, in the same languages.
var corrects = []*lazy.Regexp{
	lazy.New(`(?i)^(?:no|nope)[,.!]? (?:not|don'?t|that|it|this|you|wait|stop|we|i (?:said|told|meant|asked|wanted))\b|^not (?:there|like (?:this|that)|that one|what i)\b|` + begins + `wrong[,.!]`),
	lazy.New(`(?i)\b(?:that|this|it|you)(?:'s|’s| is|'?re|’re| are| was| were|s) (?:still |just )?(?:wrong\b|incorrect\b|mistaken\b|not (?:right|correct|true|what|how|where)\b)`),
	lazy.New(`(?i)\bi (?:already |just |have )?(?:told|asked) you\b|\bi (?:already |just )said\b|\b(?:as|like) i (?:said|told)\b|\bi (?:didn['’]?t|did not|never) (?:say|said|ask|asked|want|wanted)\b|\bnot what i (?:asked|meant|wanted|said)\b`),
	lazy.New(`(?i)\bi(?:['’]ve| have)? (?:reverted|undid|undone|rolled back) (?:your|that|this|it)\b|\bi was talking about\b|` + begins + `i meant\b|^it should(?:n['’]?t| not) be\b`),
	lazy.New(`(?i)\b(?:don['’]?t|do not|never) (?:ever )?do (?:that|this|it)\b|\bnever .{1,60}\bagain\b|\bstop (?:doing|using|adding|changing|committing|pushing|creating|running|trying|editing)\b|(?:^|[.!?\n] *|\bshould |\bmust )(?:always|never) [a-z]`),
	lazy.New(`(?i)\byou (?:should(?:n['’]?t| not) have|forgot|ignored|keep \w+ing|did (?:it|that) again|weren['’]?t supposed)\b|\bwhy did you (?:not|delete|remove|change|ignore|skip|revert|commit|push|overwrite)\b|^use \S+(?: \S+)?,? (?:not|instead of)\b`),
	lazy.New(`(?i)^(?:nein|nee)[,.!]? ?(?:nicht|das|so|du|ich|kein)|\bdas (?:ist|war) (?:falsch|nicht richtig|nicht das)|\bich (?:habe?|hatte) (?:dir )?(?:doch |schon |bereits |es dir )*.{0,20}gesagt\b|\bich sagte\b|\bmach das (?:nie|nicht) (?:wieder|mehr|nochmal)|\bnie wieder\b`),
	lazy.New(`(?i)^non[,.!]? (?:pas|ce|c['’]|tu|je)|c['’]est (?:faux|incorrect|pas (?:ça|ce que))|ce n['’]est pas (?:ça|ce que)|je t['’](?:ai|avais) (?:déjà )?dit|ne (?:fais|refais) (?:plus|jamais) (?:ça|cela)`),
	lazy.New(`(?i)^no[,.!] (?:ahí|así|eso|te)|\b(?:eso|esto) (?:está mal|no es)|\bte (?:lo )?(?:dije|había dicho|he dicho)\b|no (?:lo )?(?:hagas|vuelvas a hacer)(?: eso)? (?:otra vez|de nuevo|más)`),
	lazy.New(`(?i)^não[,.!] (?:é|aí|assim|isso)|(?:isso|isto) (?:está|tá) errado|não (?:é|foi) (?:isso|o que)|eu (?:já )?(?:te |lhe )?(?:disse|falei)|não faça isso (?:de novo|novamente)`),
	lazy.New(`^(?:いや|いいえ|違う|違います)|そうじゃな|そこじゃな|それは(?:違|間違)|と言った(?:のに|でしょ)|二度と|^(?:不对|不對|错了|錯了|不是[这那這])|[这那這](?:是错的|不对|不對)|我(?:说过|說過|告诉过你)|(?:别|不要)再`),
	lazy.New(`^(?:아니|아뇨|틀렸)|그게 아니|거기 아니|말했잖|다시는|그러지 마|(?i)^нет[,.!] ?(?:не|это|я|так)|это (?:неверно|неправильно|не то)|я (?:же )?(?:уже )?(?:говорил|сказал|просил)|больше так не`),
}

// NameRun names the command of a call of a shell: its program, subcommand and what it is about, without
// flags. It is "" for a command that only looks around, or whose outcome the call does not tell.
func (c Call) NameRun() string {
	cmd := shell.Parse(c.Line())
	s := cmd.MainPart()
	if s.Program == "" || shell.LooksAround(s.Program) || s.HasPayload() || cmd.HoldsScript() || cmd.HidesExit() && !c.Failed || input.ParseArguments(c.Input).Background {
		return ""
	}
	name, skip := []string{s.General(false)}, true // the program
	for _, w := range s.Words {
		if isFlag := strings.HasPrefix(w.Text, "-"); !skip && !isFlag {
			name = append(name, w.Text)
		} else {
			skip = isFlag && !strings.Contains(w.Text, "=")
		}
	}
	return strings.Join(name, " ")
}
