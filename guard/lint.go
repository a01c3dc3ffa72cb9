package guard

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"mem/lazy"
	"mem/words"
)

// A Problem is a passage of a lesson that reads as an order or as an attack.
type Problem struct {
	Rule string // the name of the rule, lower-case with hyphens
	Text string // the passage, as it stands in the lesson, cleaned, or as it reads there
}

// Lint returns the findings that make a lesson unfit to be shown to an agent unreviewed:
// addresses, encoded blobs, markup and role tags, and instructions to fetch and
// run, to hide, to override, to turn off a safeguard, to change settings, or to
// show credentials. There is at most one problem per rule, in the order of the
// rules; nil means none.
//
// A warning is not an order: "never commit with --no-verify" passes. Lint looks at
// the wording only. It stops the crude and slows the clever; callers judge who
// said it and whether to believe it.
//
// All that mem shows to sessions goes through it, as it will be shown: a mistake
// with its "Avoid: ", a paragraph with its lines also as one.
func Lint(s string) []Problem {
	var problems []Problem
	s = Clean(s)
	joined := joinLines(s)
	plain := readPlainly(joined)
	words := foldForKeys(strings.Join(slices.Compact([]string{joined, plain}), "\n"))
	for i := range rules {
		r := &rules[i]
		if !r.isPossible(words) {
			continue
		}
		for _, reading := range slices.Compact([]string{s, joined, plain}) {
			if r.code && reading != joined && reading != s { // the plain one no longer shows what is code
				break
			}
			if text := r.findPassage(reading); text != "" {
				problems = append(problems, Problem{r.name, text})
				break
			}
		}
	}
	return problems
}

// lineBreak matches a line break within a paragraph or an item of a list.
var lineBreak = lazy.New(`\n[ \t]*([^\s\d#>*+-])`)

// joinLines returns a text in which no line break hides that an order goes on.
func joinLines(s string) string {
	if !strings.Contains(strings.TrimSpace(s), "\n") {
		return s
	}
	return lineBreak.Get().ReplaceAllString(s, " $1")
}

// A rule is one kind of problem.
type rule struct {
	name string

	// keys are small literals, separated by commas. A text with none of them
	// cannot match expr, which is then not even compiled: that takes longer
	// than all else. Without keys it is always tried.
	keys string
	expr *lazy.Regexp

	// order marks what is a problem as an instruction only, not as a
	// warning against it.
	order bool

	// code marks what is harmless between backticks.
	code bool

	// only, if set, has the last word on a passage, with the sentence around it.
	only func(text, sentence string) bool
}

// Parts of the rules.
const (
	shell     = `(?:(?:ba|z|da|k|c|fi|tc)?sh|python[\d.]*|perl|ruby|node|deno|bun|php|pwsh|powershell|iex)`
	safeguard = `(?:tests?|test suite|hooks?|pre-?commit(?: hooks?)?|(?:safety|security|type|permission|ci|status)[ -]checks?|safety|security|sandbox(?:ing)?|guard ?rails?|guards?|lint(?:er|ing|s)?|(?:signature|certificate|cert|tls|ssl|commit|host key) (?:verification|validation|checks?|checking|signing)|(?:permission|approval)s?(?: (?:prompts?|checks?))?|auth(?:entication|orization)?|(?:2fa|mfa)|firewall|antivirus|audit(?: log(?:ging|s)?)?|branch protection|code review|monitoring|selinux|assertions?)`
	secrets   = `(?:credentials?|secrets|api[ -]?keys?|passwords?|private keys?|ssh keys?|(?:access|auth|session|api) tokens?|tokens|environment variables|env vars?|keychain|cookies)`
	secretDoc = `(?:\.env\b(?:\.local|\.production)?|id_(?:rsa|ed25519)\b|[~/\w]*/?\.(?:ssh|aws|gnupg|kube)\b[\w./-]*|\.netrc\b|\.npmrc\b|\.git-credentials\b|/etc/shadow\b|\.pem\b)`
)

// rules are tried in this order.
var rules = []rule{
	{name: "url", keys: "://,www.,javascript:,data:,vbscript:,.onion,.ngrok", expr: lazy.New(`(?i)\b(?:https?|ftps?|file|wss?|ssh|git\+\w+)://[^\s)>\]"'` + "`" + `]+|\bwww\.[a-z0-9-]+\.[a-z]{2,}[^\s)]*|\b(?:javascript|data|vbscript):[a-z/]+[;,(][^\s)]*|\b[a-z0-9-]+\.(?:onion|ngrok\.io|ngrok-free\.app)\b`), only: isRemote},
	{name: "blob", expr: lazy.New(`[A-Za-z0-9+/_-]{41,}={0,2}`), only: func(word, _ string) bool { return isEncoded(word) }},
	{name: "pipe-to-shell", keys: "|,<(,$(,iex,invoke-expression", expr: lazy.New(`(?i)\|\s*(?:sudo\s+)?(?:/\w+)*/?` + shell + `\b(?:\s+-|\s*(?m:$)|\s*[` + "`" + `;&"'.,)]|\s+(?:to|and|as|for|in|on|before|after|when)\b)|\b` + shell + `\s+<\(\s*(?:curl|wget)|\b(?:eval|exec|source|\.)\s+["']?(?:\$\(|<\()\s*(?:curl|wget|echo|base64)|\biex\s*[( ]\s*[(n]|\binvoke-expression\b|base64\s+(?:-d|-D|--decode)\s*\|`), order: true},
	{name: "fetch-and-run", keys: "curl,wget,fetch,download,git clone,package ,iwr,invoke-webrequest,git+,powershell,/dev/tcp/,nc -", expr: lazy.New(`(?i)\b(?:curl|wget|fetch|download|git clone|iwr|invoke-webrequest)\b[^.;\n]{0,80}?(?:\b(?:and|then)\b|&&|;)\s*(?:immediately |then |directly |silently |just )*(?:run|execute|eval|install|source|launch|start|sh|bash|chmod)\b|\b(?:curl|wget)\s+(?:-\S+\s+)*[a-z0-9-]+(?:\.[a-z0-9-]+)+/|\b(?:pip|pip3|npm|cargo|go|gem)\s+(?:install|i|add|get)\s+(?:-\S+\s+)*git\+|\binstall\s+(?:(?:the|a|an)\s+)?(?:pip|npm|pypi|gem|cargo|node|python|ruby)\s+package\s+\S|\bpowershell\b.{0,40}\s-e(?:nc|ncodedcommand)?\b|/dev/tcp/|\bnc\s+(?:-\w+\s+)*-e\b`), order: true},
	{name: "destroy", keys: "rm -,sudo,mkfs.,dd if=,:(),git push", expr: lazy.New(`(?i)\brm\s+-(?:rf|fr|r\s+-f)\w*\s+(?:--no-preserve-root\s+)?["']?(?:/|~/?|\$HOME/?|\*)(?:[\s"'*` + "`" + `]|$)|\bsudo\s+(?:(?:rm|dd|mkfs\S*|chmod\s+(?:-\w*R|--recursive))\b|ch(?:own|grp|mod)\b[^.;|&\n]*?\s["'` + "`" + `]?(?:/(?:(?:bin|boot|dev|etc|lib\w*|proc|root|sbin|sys|usr/s?bin)\b\S*)?|~/?|\$HOME/?)(?:[\s"'` + "`" + `.,;]|$))|\bmkfs\.\w+\s|\bdd\s+if=\S+\s+of=/dev/|:\(\)\s*\{|\bgit\s+push\s+(?:-f|--force)\b[^.;\n]{0,40}\b(?:main|master)\b`), order: true},
	{name: "markup", keys: "](,<,onerror,onload,onclick", expr: lazy.New(`!?\[[^\]\n]{0,200}\]\([^)\n]+\)|(?i:<(?:!--|/?(?:script|img|iframe|a|svg|style|link|meta|object|embed|form|input|button|video|audio|base|details|summary|div|span|table|p|br|h[1-6]|b|i|u|center|font|marquee)(?:\s[^>\n]*)?/?>))|(?i:\bon(?:error|load|click)\s*=)`), code: true, only: isForeignMarkup},
	{name: "role-tag", keys: "<,inst],sys],system],assistant],#,system:,system :,human:,human :,assistant:,assistant :,begin system,begin instruction", expr: lazy.New(`(?i)</?(?:system|user|assistant|human|developer|instructions?|tool_(?:result|use|call)s?|function_(?:call|result)s?|system-reminder|important|admin|antml:\w+|context|memory|prompt)(?:\s[^>\n]*)?>|\[/?(?:INST|SYS|SYSTEM|ASSISTANT)\]|<<\s*/?SYS\s*>>|<\|[^|\n]{1,40}\|>|(?m:^\s*#{1,6}\s*(?:system|instructions?|human|assistant|user)\s*:?\s*$)|\n\s*(?:system|human|assistant)\s*:|\bBEGIN (?:SYSTEM|INSTRUCTIONS?)\b`)},
	{name: "closing-tag", keys: "</", expr: lazy.New(`</[A-Za-z][\w:.-]*\s*>`), code: true, only: isForeignMarkup},
	{name: "hide", keys: "tell,inform,notify,alert,let,mention,reveal,disclos,warn,hide,conceal,without,secret,hidden,invisible,covertly,stealthily,surreptitiously", expr: lazy.New(`(?i)\b(?:do not|don'?t|never|avoid|must not|should not|shouldn'?t|without)\s+(?:ever\s+)?(?:tell(?:ing)?|inform(?:ing)?|notify(?:ing)?|alert(?:ing)?|let(?:ting)?|mention(?:ing)?|reveal(?:ing)?|disclos(?:e|ing)|warn(?:ing)?)\b[^.;\n]{0,50}\b(?:users?|humans?|developers?|operators?|anyone|anybody|person|people|owners?|maintainers?|reviewers?|team)\b|\b(?:do not|don'?t|never|must not)\s+(?:ever\s+)?(?:mention|reveal|disclose|tell)\s+(?:it|this|that|them)\s*(?:[.;,!)]|(?m:$))|\b(?:hide|conceal)\b[^.;\n]{0,40}\bfrom (?:the |your |any )?(?:user|human|developer|operator|reviewer|maintainer|owner|logs?|history|audit)|\bwithout (?:the )?(?:user|human|developer|operator)(?:'s)? (?:knowing|noticing|consent|approval|permission|knowledge)|\b(?:keep|make) (?:this|it|that) (?:a )?(?:secret|hidden|invisible)|\b(?:secretly|covertly|stealthily|surreptitiously)\b|\bwithout (?:asking|confirming with|prompting) (?:the )?(?:user|human|anyone|for (?:confirmation|permission|approval))`)},
	{name: "override", keys: " told,said before,said above,said earlier,instruction,prompt,rules,directions,directives,guidelines,messages,constraints,polic,restrictions,training,are now,be now,from now on,pretend to be,act as,roleplay as,developer mode,god mode,dan mode,jailbreak,approve all,approve any,approve every,i order,i command,i instruct,i authori", expr: lazy.New(`(?i)\b(?:ignore|disregard|forget)\s+(?:all|anything|everything|what(?:ever)?)\s+(?:(?:you|i|that|has|have|had|been|was|were)\s+){0,4}(?:told|said (?:before|above|earlier))\b|\b(?:ignore|disregard|forget|override|bypass|discard|overrule)\b\s+(?:\w+\s+){0,3}?(?:previous|prior|above|earlier|preceding|existing|your|system|safety|original|initial|all|any|other)\s+(?:\w+\s+){0,2}?(?:instructions?|prompts?|rules|directions|directives|guidelines|messages|constraints|polic(?:y|ies)|restrictions|training)\b|\byou (?:are|will be) now (?:a|an|in|the|dan|called|acting)\b|\bnew (?:(?:system )?instructions?|system prompt)\s*:|\bapprove (?:all|any|every) (?:\w+ ){0,2}?(?:tool (?:calls?|uses?)|commands?|permissions?|requests?|actions?)\b|\bas (?:the |your |an? )?(?:\w+ )?(?:admin(?:istrator)?|owner|operator|root)\b[^.;\n]{0,20}\bi (?:order|command|instruct|authori[sz]e)\b|\bfrom now on,? you\b|\b(?:reveal|print|show|leak|repeat|output|recite) (?:your|the) (?:\w+ )?(?:system prompt|hidden instructions)\b|(?:^|[.!;:\n]\s*)(?:you (?:must|should|will) )?(?:pretend to be|act as (?:if you|an? (?:unrestricted|admin|root|different))|roleplay as)|\b(?:developer|god|dan|jailbreak) mode\b|\bjailbreak`)},
	{name: "disable-safeguard", keys: "disabl,turn off,turning off,switch off,switching off,bypass,circumvent,deactivat,suppress,silenc,weaken,skip,delete,remove,comment out,drop,ignore,stub out,uninstall", expr: lazy.New(`(?i)\b(?:disabl(?:e|ing)|turn(?:ing)? off|switch(?:ing)? off|bypass(?:ing)?|circumvent(?:ing)?|deactivat(?:e|ing)|suppress(?:ing)?|silenc(?:e|ing)|weaken(?:ing)?)\s+(?:(?:the|all|any|every|failing|broken|your|our|these|those|git|repository|existing)\s+){0,3}` + safeguard + `(?:[\s.,;:!]*$|[.,;:!\n]|\s+(?:and|so|to|before|when|if|then|for|on|in order|that|until|because)\b)|\b(?:skip|delete|remove|comment out|drop|ignore|stub out|uninstall)\s+(?:(?:the|all|any|every|failing|broken|your|our|these|those|git|flaky|red)\s+){1,3}(?:tests?|test suite|hooks?|pre-?commit hooks?|safety checks?|security checks?|assertions?|lint(?:er)?(?: checks?)?|type checks?|code review|approvals?)(?:[\s.,;:!]*$|[.,;:!\n]|\s+(?:and|so|to|before|when|if|then|for|that|until)\b)|\b(?:skip|delete|remove|comment out|drop|ignore|stub out|disable)\s+(?:\w+\s+){0,2}?tests?\s+(?:that|which|when|if|once)\s+(?:they\s+)?(?:keep\s+)?(?:fail|break|are (?:red|broken|failing|flaky))`), order: true},
	{name: "unsafe-flag", keys: "--no-verify,--dangerously-,--yolo,--no-gpg-sign,--no-sandbox,--insecure,curl -k,verify=,verify =,node_tls_reject_unauthorized,stricthostkeychecking,git_ssl_no_verify,http.sslverify,core.hookspath,husky=0,setenforce,chmod,insecureskipverify,git push,git commit,merge,auto-approve", expr: lazy.New(`(?i)--no-verify\b|\bgit\s+push\b[^.;,\n]{0,60}?\s(?:-f|--force|--mirror|--delete|\+[\w/-]+)(?:[\s` + "`" + `"'.,;)]|$)|\bgit\s+commit\s+(?:-\w+\s+)*-n\b|\bSKIP=\S+\s+git\s+commit\b|\bmerge\b.{0,20}\s--admin\b|-auto-approve\b|--dangerously-\w[\w-]*|--yolo\b|--no-gpg-sign\b|--no-sandbox\b|--insecure\b|\bcurl\s+-k\b|\bverify\s*=\s*False\b|NODE_TLS_REJECT_UNAUTHORIZED\s*=\s*['"]?0|StrictHostKeyChecking[ =]no\b|GIT_SSL_NO_VERIFY|http\.sslVerify[ =]false|core\.hooksPath[ =]/dev/null|\bHUSKY=0\b|\bsetenforce\s+0\b|\bchmod\s+(?:-R\s+)?0?777\b|InsecureSkipVerify:\s*true`), order: true},
	{name: "settings", keys: ".claude/,settings.local.json,mcp.json,.bashrc,.zshrc,.bash_profile,.profile,.zshenv,authorized_keys,crontab,sudoers,etc/hosts,etc/passwd,.git/hooks,.ssh/config,allowedtools,autoapprove,bypasspermissions,permissions.allow,.codex/config.toml,claude.md,agents.md,gemini.md,git config", expr: lazy.New(`(?i)\b(?:edit|modify|change|alter|add|append|write|update|insert|overwrite|replace|inject|put|set|patch)\b(?:[^.\n]|\.\S){0,60}?(?:\s|` + "`" + `|/|~)(?:\.claude/(?:settings[\w.]*json|hooks|commands)|settings\.local\.json|\.?mcp\.json|\.bashrc|\.zshrc|\.bash_profile|\.profile|\.zshenv|authorized_keys|crontab|sudoers|/?etc/(?:hosts|passwd|sudoers)|\.git/hooks|\.ssh/config|allowedTools|autoApprove|bypassPermissions|permissions\.allow|\.codex/config\.toml)|\b(?:append|inject|insert|overwrite)\b[^.\n]{0,60}\b(?:CLAUDE|AGENTS|GEMINI)\.md\b|\bgit config (?:--global )?(?:core\.(?:hooksPath|fsmonitor|sshCommand|editor|pager)|alias\.\w+|credential\.\w+|url\.)`), order: true},
	{name: "credentials", keys: ".env,id_rsa,id_ed25519,.ssh,.aws,.gnupg,.kube,.netrc,.npmrc,.git-credentials,/etc/shadow,.pem,credential,secrets,api key,api-key,apikey,password,private key,ssh key,token,environment,env var,keychain,cookies,source code,file contents", expr: lazy.New(`(?i)\b(?:cat|print|dump|upload|send|post|paste|read|open|exfiltrate|email|show|output|display|echo|transmit|forward|attach|include)\b[^.;\n]{0,40}?[\s"'` + "`" + `(]` + secretDoc + `|\b(?:print|dump|upload|email|paste|exfiltrate|leak|steal|collect|harvest|transmit|echo|display|reveal|gather)\b\s+(?:[\w']+\s+){0,4}?` + secrets + `|\b(?:send|post|forward|copy|share|report)\b\s+(?:[\w']+\s+){0,4}?(?:credentials|secrets|api[ -]?keys|passwords|private keys?|ssh keys?|tokens|environment variables|source code|environment|file contents)\b[^.;\n]{0,30}\bto\b`), order: true},
	{name: "run-this", keys: "following,attached,enclosed,decoded,downloaded,remote,encoded,payload,base64,immediately,always first,before anything else,decode,each answer,every answer,each reply,every reply", expr: lazy.New(`(?i)\b(?:run|execute|eval(?:uate)?)\s+(?:exactly\s+)?(?:the\s+)?(?:following|attached|enclosed|decoded|downloaded|remote|encoded|payload|base64)\b|\b(?:immediately|always first|before anything else)[, ]+(?:run|execute|call|invoke)\b[^.\n]{0,60}\b(?:script|payload|binary|command below)|\b(?:run|execute|call|invoke)\b[^.;\n]{0,60}\b(?:each|every) (?:answer|reply)\b|\bdecode\b[^.\n]{0,40}\b(?:and|then)\s+(?:run|execute|eval)`), order: true},
}

// foldForKeys returns s as keys are looked for: in small letters, with one space for
// each run of white space. Letters fold as they do in an expression.
func foldForKeys(s string) string {
	words := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" \t\n\f\r", r) })
	return strings.ReplaceAll(strings.ToLower(strings.Join(words, " ")), "ſ", "s")
}

// isPossible reports whether a text, given as foldForKeys returns it, may break the
// rule.
func (r *rule) isPossible(words string) bool {
	for key := range strings.SplitSeq(r.keys, ",") {
		if strings.Contains(words, key) {
			return true
		}
	}
	return false
}

// findPassage returns the first passage of s that breaks the rule, or "".
func (r *rule) findPassage(s string) string {
	for _, m := range r.expr.Get().FindAllStringIndex(s, -1) {
		text := s[m[0]:m[1]]
		switch {
		case r.only != nil && !r.only(text, sentenceAround(s, m[0], m[1])):
		case r.code && strings.Count(s[:m[0]], "`")%2 == 1:
		case r.order && (isWarned(s[:m[0]]) || permitted.Matches(s[m[1]:])):
		default:
			return strings.TrimSpace(text)
		}
	}
	return ""
}

// warning matches the words that turn an instruction into a warning, and after
// them the rest of the clause.
var warning = lazy.New(`(?i)(?:\b(?:never|not|don'?t|doesn'?t|avoid(?:s|ed)?|instead of|rather than|refuse[sd]? to|stop|forbidden|must ?n'?t|cannot|can'?t|shouldn'?t|no longer|without|wrong to|a mistake to|dangerous to|ask(?:ing)?(?: the \w+| a \w+| first)? before)\b|(?m:^)[\s>*+-]*avoid:)([^.;!?\n]*)$`)

// excuse matches what turns a warning around again: do not hesitate to.
var excuse = lazy.New(`(?i)^\s*(?:ever\s+)?(?:hesitate|forget|fail|worry|be afraid|bother|only|wait|care|stop|ask|matter|need)\b|\b(?:but|just|then|instead|simply|please|always)\b`)

// permitted matches what makes an order one that a person gives each time.
var permitted = lazy.New(`(?i)^[^.;!?\n]{0,60}\bonly\s+(?:when|if|after|once)\s+(?:the\s+|your\s+|a\s+)?(?:user|person|human|maintainer|owner|developer)\s+(?:\w+\s+)?(?:allow|ask|agree|approve|confirm|permit|say|want)`)

var anAddress = lazy.New(`\bhttps?://[^\s;]*[^\s;.,!?:]`)

// isWarned reports whether what follows before is warned against.
func isWarned(before string) bool {
	const clause = 160 // longer than that, the warning is about something else
	before = before[max(0, len(before)-clause):]
	if strings.Contains(before, "://") { // its dots end no clause
		before = anAddress.Get().ReplaceAllString(before, "it")
	}
	m := warning.Get().FindStringSubmatchIndex(before)
	return m != nil && !excuse.Matches(before[m[2]:m[3]])
}

// sentenceAround returns the sentence that a passage of s stands in.
func sentenceAround(s string, from, to int) string {
	isEnd := func(at int) bool {
		return s[at] == '\n' || strings.IndexByte(".;!?", s[at]) >= 0 && (at+1 == len(s) || s[at+1] == ' ')
	}
	for from > 0 && !isEnd(from-1) {
		from--
	}
	for to < len(s) && !isEnd(to) {
		to++
	}
	return s[from:to]
}

// isEncoded reports whether a long word is data and neither a path, a hash in
// hexadecimal, nor an identifier.
func isEncoded(word string) bool {
	if len(word) <= 64 && isHex(word) || words.IsWordy(word) {
		return false
	}
	if strings.HasSuffix(word, "=") {
		return true
	}
	changes := 0 // between capitals, small letters and digits
	for i := 1; i < len(word); i++ {
		a, b := word[i-1], word[i]
		if words.IsDigit(a) != words.IsDigit(b) || words.IsLower(a) && words.IsUpper(b) {
			changes++
		}
	}
	return words.HasDigit(word) && changes*5 >= len(word)
}

// Letters of other alphabets, of two bytes each, that look like those of ours, in the
// same order.
const (
	lookalikes = "аеорсухіјѕԁһӏԛԝАВЕКМНОРСТХІЈЅаοιανρυΑΒΕΖΗΙΚΜΝΟΡΤΥΧıſ"
	latin      = "aeopcyxijsdhlqwABEKMHOPCTXIJSaoiavpuABEZHIKMNOPTYXis"
)

// readPlainly returns a text as a reader takes it who ignores its dress: letters
// that are wide, in a circle, in the style of formulas (all of which decomposes) or
// of another alphabet, with marks above, spaces of any kind, emphasis and code.
func readPlainly(s string) string {
	isDressed := func(r rune) bool { return r >= utf8.RuneSelf || r == '*' || r == '_' || r == '`' }
	if strings.IndexFunc(s, isDressed) < 0 {
		return s
	}
	s = norm.NFKD.String(s)
	var b strings.Builder
	b.Grow(len(s))
	wasWord := false
	for i, r := range s {
		switch at := strings.IndexRune(lookalikes, r); {
		case at >= 0:
			r = rune(latin[at/2])
		case r == '*', r == '`', unicode.Is(unicode.Mn, r):
			continue
		case r == '_': // part of a name
			next, _ := utf8.DecodeRuneInString(s[i+1:])
			if !wasWord || !unicode.IsLetter(next) && !unicode.IsDigit(next) {
				continue
			}
		case r >= utf8.RuneSelf && unicode.IsSpace(r):
			r = ' '
		}
		wasWord = unicode.IsLetter(r) || unicode.IsDigit(r)
		b.WriteRune(r)
	}
	return b.String()
}

// DropOrders returns a text of Markdown without the paragraphs, items of lists and
// blocks of code in which Lint finds a problem, and why each of them is left out, a
// line for each. A text without any is returned as it is.
func DropOrders(text string) (kept string, leftOut []string) {
	if Lint(text) == nil {
		return text, nil
	}
	var b strings.Builder
	for _, part := range splitParts(text) {
		problems := Lint("\n" + part) // in its place it begins a line
		if len(problems) == 0 {
			b.WriteString(part)
			continue
		}
		leftOut = append(leftOut, fmt.Sprintf("it reads as an order (%s): %s", problems[0].Rule, Line(problems[0].Text)))
	}
	if rest := Lint(b.String()); len(rest) > 0 { // an order over several parts
		return "", append(leftOut, "nothing of it is shown: it reads as an order ("+rest[0].Rule+")")
	}
	return b.String(), leftOut
}

// splitParts splits a text into its paragraphs, items of lists, headings and blocks
// of code, with the blank lines before them.
func splitParts(text string) (parts []string) {
	now, isBlank, isCode, isHead := "", true, false, false
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(line)
		isFence := strings.HasPrefix(bare, "```") || strings.HasPrefix(bare, "~~~")
		begins := isBlank || isHead || listItem.Matches(bare) || strings.HasPrefix(bare, "#") || isFence
		if bare != "" && !isCode && begins && strings.TrimSpace(now) != "" {
			parts, now = append(parts, now), ""
		}
		now += line
		isBlank, isHead = bare == "", strings.HasPrefix(bare, "#")
		if isFence {
			isCode = !isCode
		}
	}
	return append(parts, now)
}

// listItem matches the beginning of an item of a list.
var listItem = lazy.New(`^(?:[-*+]|\p{Nd}+[.)]+) `)

// IsAboutPerson reports whether a person speaks about themselves in a text: it stays in
// their own memory.
func IsAboutPerson(text string) bool { return aboutPerson.Get().MatchString(text) }

// aboutPerson are the words of a person about themselves.
var aboutPerson = lazy.New(`(^|[^\w/'])(I|I'm|I'd|I'll|I've|[Mm]e|[Mm]y|[Mm]ine|[Mm]yself)([^\w/']|$)`)
