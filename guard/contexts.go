package guard

import "mem/words"

// value follows a name in the contexts below and leads to what it stands for;
// assigned does so after the name of a vendor, which alone is too little:
// FASTLY_API_TOKEN=, "fastlyKey": ", fastly token is. authorization is the header, up
// to its scheme.
const (
	value         = `["'\]]{0,2}(?:\s{0,3}(?:=>|:=|=|:)|\sis\s|\s)\s{0,3}["']?`
	authorization = `(?i:authorization)["'\x60\]*\\]{0,3}\s{0,8}[:=!][:=>]{0,2}\s{0,8}[bfruL@]?["'\x60]?`
	assigned      = `[\w. -]{0,20}(?i:key|token|secret|auth|password)[\w-]{0,8}` + value
)

// contexts are known by what stands before them. The general ones come last.
var contexts = []family{
	{name: "url-password", keys: "://", look: findURLPassword}, // the first: scanHosts names what it finds by it
	{name: "url-password", keys: "jdbc:oracle", expr: `jdbc:oracle:\w{1,8}:\w{1,40}/([^\s@/]{4,200})@`, only: isLiteral},
	{name: "aws-secret-key", keys: "secret aws_secret", expr: `(?i:(?:aws.?)?secret.?(?:access.?)?key|aws_secret)` + value + `([A-Za-z0-9/+]{40})(?:$|[^A-Za-z0-9/+])`},
	{name: "gcp-private-key-id", keys: "private_key_id", expr: `(?i:private_key_id)` + value + `([0-9a-fA-F]{40})\b`},
	{name: "azure-key", keys: "accountkey sharedaccesskey azure ocp-apim", expr: `(?i:accountkey` + value + `|sharedaccesskey` + value + `|azure` + assigned + `|ocp-apim` + assigned + `)([A-Za-z0-9+/]{43}=|[A-Za-z0-9+/]{86}==|[A-Za-z0-9]{84}|[a-z2-7]{52}|[0-9a-f]{32})(?:$|[^A-Za-z0-9+/=])`},
	{name: "azure-sas", keys: "sig=", expr: `(?i:sig)=([A-Za-z0-9%+/_-]{20,}=?)`, only: words.IsDrawn},
	{name: "presigned-url", keys: "x-amz-signature= x-goog-signature= x-amz-security-token=", expr: `(?i:x-(?:amz|goog)-(?:signature|security-token))=([\w%+/=-]{40,})`},
	{name: "vendor-key", keys: "heroku cloudflare cf_api cf-api x-auth-key datadog dd_ap dd-ap twilio mailgun discord okta ssws fastly vercel netlify railway snyk codecov algolia wandb mistral cohere together authtoken",
		expr: `(?i:(?:x-auth-key|ssws|authtoken)` + value + `|(?:[a-z]{4,10}|cf.api|dd[_-]ap[ip])` + assigned + `)([\w.-]{24,90})(?:$|[^\w-])`, only: isOpaque},
	{name: "terraform-password", keys: `variable`, expr: `variable\s{1,8}"[\w-]{0,60}(?i:password|secret|token|key)[\w-]{0,20}"\s{0,8}\{[^}]{0,200}?default\s{0,8}=\s{0,8}"([^"\n$\[]{6,200})"`, only: isLogged},
	{name: "docker-auth", keys: `"auth"`, expr: `"auth"\s{0,3}:\s{0,3}"([A-Za-z0-9+/]{12,}={0,2})"`},
	{name: "kubeconfig-key", keys: "client-key-data", expr: `(?i:client-key-data)["']?\s{0,3}[:=]\s{0,3}["']?([A-Za-z0-9+/=]{16,})`},
	{name: "netrc-password", keys: "machine", expr: `machine\s{1,8}\S{1,80}\s{1,8}login\s{1,8}\S{1,80}\s{1,8}password\s{1,8}([^\s\[]\S{0,200})`, only: isLiteral},
	{name: "netrc-password", keys: "login", expr: `login\s{1,8}\S{1,80}\s{1,8}password\s{1,8}([^\s\[]\S{3,200})`, only: words.HasDigit},
	{name: "pgpass", keys: ":5432: :6432:", expr: `:[56]432:[^:\s]{1,64}:[^:\s]{1,64}:([^\s:\["'/]{3,200})`},
	{name: "putty-key", keys: "private-lines:", expr: `(?i:private-lines:)\s{0,3}\d{1,3}\s{1,3}((?:[A-Za-z0-9+/=]{8,}\s{0,6})+)`},
	{name: "password-hash", keys: ":::", back: 65, expr: `([0-9a-fA-F]{32}:[0-9a-fA-F]{32}):::`}, // of Windows
	{name: "password-hash", keys: "{sha} {ssha {smd5} {crypt}", expr: `\{(?i:s?sha\d{0,3}|smd5|crypt)\}[\w+/=$.]{20,}`},
	{name: "private-key", keys: `"d":" "d":␣" "k":" "k":␣" "p":" "p":␣"`, expr: `"[dkp]":\s?"([\w-]{40,})"`, only: words.IsDrawn}, // of JWK
	{name: "private-key", keys: "<D> <P> <Q> <DP> <DQ> <InverseQ>", expr: `(?i:<(?:d|p|q|dp|dq|inverseq)>)([A-Za-z0-9+/=]{40,})</`},
	{name: "private-key", keys: "wallet( privatekeytoaccount( accounts:", expr: `(?i:wallet|privatekeytoaccount|accounts:\s?)[(\[]\s{0,12}["'](?:0x)?([0-9a-fA-F]{64})["']`},
	{name: "mail-login", keys: "auth␣plain auth␣login", expr: `(?i:auth (?:plain|login)) ([A-Za-z0-9+/]{12,}={0,2})`, only: words.IsRandom},
	{name: "network-password", keys: `snmp-server tacacs-server radius-server pre-shared-key key-string rocommunity rwcommunity password␣0 password␣5 password␣7 secret␣0 secret␣5 secret␣8 secret␣9`,
		expr: `(?i:snmp-server community|(?:tacacs|radius)-server (?:host \S{1,60} )?key(?: \d)?|pre-shared-key(?: ascii-text| hex| local| remote| address \S{1,40} key)?|key-string|r[ow]community6?|(?:password|secret) [05789])\s{1,4}["']?([^\s"';]{4,200})`, only: isLogged},
	{name: "network-password", keys: `:␣psk␣ :␣eap␣ :␣xauth␣ "␣*␣"`, expr: `(?i:: (?:psk|eap|xauth) {1,4}|"\s{1,4}\*\s{1,4})"([^"\n]{4,100})"`, only: isLiteral},
	{name: "password-hash", keys: "$1$ $5$ $6$ $y$ $2a$ $2b$ $2y$ $apr1$ $argon2 $scrypt$ $pbkdf2", expr: `\$(?:1|5|6|y|2[aby]|apr1|argon2(?:id|i|d)|scrypt|pbkdf2[\w-]{0,10})\$[./A-Za-z0-9$=,+-]{20,}`},
	{name: "authorization", keys: "authorization", expr: authorization + `(?i:digest|aws4-hmac-sha256)[ +]+([^\n\r"'\x60\\<]{4,})`, only: isCredential},
	{name: "authorization", keys: "authorization", expr: authorization + `(?i:basic)[ +]+([^\s"'\x60\\<,;]{4,})`, only: isLiteral},
	{name: "authorization", keys: "authorization", expr: authorization + `(?i:bearer|token|apikey|bot|negotiate|ssws|geniekey)[ +]+([^\s"'\x60\\<,;]{4,})`, only: isCredential},
	{name: "authorization", keys: "authorization", expr: authorization + `([^\s"'\x60\\<,;]{12,})`, only: func(s string) bool { return isStrongValue(s, 12) }},
	{name: "bearer", keys: "bearer", expr: `(?i:bearer)[ +:]{1,3}["']?([\w.~+/-]{12,}=*)`, only: words.IsRandom},
	{name: "cookie", keys: "cookie", expr: `(?i:cookie)["']?:\s{0,3}["']?([\w.%-]{1,64}=[^\s"';]{4,}(?:;[^\r\n"']*)?)`, only: isCookie},
	{name: "command-password", keys: "snmp ipmitool security␣ nmcli mysql mariadb 7z␣ 7za␣ rar␣ unzip zip␣ sqlcmd bcp␣ sshpass mongo cqlsh redis-cli docker podman helm␣ az␣ buildah skopeo oc␣ curl␣ wget␣ smb rpcclient winexe ldap openssl htpasswd gh␣ aws␣ " +
		"sqlplus expdp impdp sqlldr net␣use rabbitmqctl rclone vault␣ ssh-keygen http␣ xh␣ bw␣unlock ansible-vault wpa_passphrase mc␣alias xfreerdp wlfreerdp cargo␣ cloudflared steamcmd db2␣ poetry impacket ␣-p ␣-hp ␣-w ␣-a ␣-x ␣-t ␣-c ␣-k ␣-u ␣--auth ␣--key ␣--user ␣/p", look: findCommandSecret},
	{name: "command-password", keys: "kv␣put kv␣patch vault␣write config:set config:add config␣set configure␣set secrets␣set secret␣create create␣secret env:set env␣set variable␣set variables␣set set␣-x set␣-gx setenv␣ setx␣ item␣create", look: findStored},
	{name: "command-password", keys: "-stdin secret␣create with-token sudo␣-S passwd cryptsetup kinit secret␣set secret␣put secrets␣create secrets␣versions create␣secret pass␣insert luksopen keepassxc env␣add passphrase-fd", look: findPiped},
	{name: "command-password", keys: "password-command passcommand password_cmd password-cmd", expr: `(?i:pass(?:word)?[-_]?(?:command|cmd))[ ='"]{1,3}(?:echo|printf) (?:-n )?["']?([^\s"']{4,200})`, only: isLiteral},
	{name: "command-password", keys: "send␣", expr: `(?i:send)(?:\s--)?\s{1,2}\\?["']([^"'\s\\$]{6,100})(?:\\{1,2}[rn]|[\r\n])`, only: isChosen},
	{name: "vault-token", keys: "vault␣login", expr: `(?i:vault login)(?:\s-[\w=-]+){0,3}\s{1,3}([\w.-]{12,})`, only: words.IsDrawn},
	{name: "sql-password", keys: "identified", expr: `(?i:identified\s{1,3}(?:with\s{1,3}\w{1,40}\s{1,3})?(?:by|as)\s{1,3}(?:password\s{1,3})?)["']([^"'\s]{3,200})["']`, only: isLiteral},
	{name: "sql-password", keys: "with␣password encrypted␣password", expr: `(?i:with|encrypted) (?i:password)\s{1,3}["']([^"'\s]{3,200})["']`, only: isLiteral},
	{name: "powershell-password", keys: "convertto-securestring", expr: `(?i:convertto-securestring)(?:\s{1,3}-\w{1,12})?\s{1,3}["']([^"'\n$][^"'\n]{3,200})["']`},
	{name: "session-id", keys: "sessid= sessionid= session_id= connect.sid= session= sid=", expr: `(?i:sessid|sessionid|session_id|connect\.sid|session|sid)=["']?([\w.%-]{16,})`, only: isOpaque},
	{name: "login-password", keys: "auth=( auth␣=␣( auth( ldap.bind( simple_bind( simple_bind_s( login( log_in( signin( sign_in( authenticate( credential( credentials( emailandpassword(",
		expr: `(?i:auth(?:=| = )?|ldap\.bind|simple_bind(?:_s)?|log_?in|sign_?in|authenticate|credentials?|emailandpassword)\(\s{0,3}(?:["'][^"'\n]{1,64}["']|[\w.]{1,40})\s{0,3},\s{0,3}["']([^"'\n]{6,200})["']`, only: isArgument},
	{name: "login-password", keys: "basicauth( basic_auth plainauth( passwordcredentials( networkcredential( passwordauthentication( digestauth( auth=( wifi.begin( pdo( mysqli( mysqli_connect( getconnection( dbi->connect(",
		expr: `(?i:(?:basic|plain|digest)_?auth|passwordcredentials|networkcredential|passwordauthentication|auth=|wifi\.begin|pdo|mysqli(?:_connect)?|getconnection|dbi->connect)[( ]\s{0,3}(?:(?:["'][^"'\n]{0,64}["']|[\w$.]{1,40})\s{0,3},\s{0,3}){1,2}(?:\w{1,16}\()?["']([^"'\n]{4,200})["']`, only: isLogged},
	{name: "login-password", keys: "fill( type( fill_in␣ send_keys(", expr: `(?i:fill|type|fill_in|send_keys)[( ][^\n,]{0,60}(?i:password|passwd|passphrase)[^\n,]{0,30},\s{0,2}(?:with: )?["']([^"'\n]{4,100})["']`, only: isLogged},
	{name: "signing-secret", keys: "cookieparser( jwt. aes.new createhmac createcipher hmac.new bcrypt. argon2. pbkdf2 scrypt fernet( basicauth( sp_addlogin",
		expr: `(?i:cookieparser|jwt\.(?:sign|verify|encode|decode)|aes\.new|create(?:hmac|cipher|cipheriv)|hmac\.new|(?:bcrypt|argon2)\.\w{4,14}|pbkdf2\w{0,6}|scrypt\w{0,4}|fernet|basicauth|sp_addlogin)[( ]\s{0,3}` +
			`(?:[^()"'\n]{0,60},\s{0,3}|["'][^"'\n]{1,40}["'],\s{0,3})?[br]?["']([^"'\n]{6,200})["']`, only: isLogged},
	{name: "login-password", keys: "connect( connection(", expr: `(?i:connect(?:ion)?)\((?:[^()\n]{0,80}?,\s{0,3})?(?:["'][^"'\n]{0,20}(?i:root|admin|user|sa|app|@)[^"'\n]{0,30}["']|` +
		`[\w.]{0,30}(?i:user|login|email)[\w.]{0,20})\s{0,3},\s{0,3}["']([^"'\n]{6,200})["']`, only: isArgument},
	{name: "login-password", keys: "assword assphrase", expr: `(?i:assword|assphrase)[^\n"']{0,12}["']\)?;?\s{0,4}\{?\s{0,8}(?:\w{1,20}\.)?(?i:send(?:_?line)?)(?:\s--)?[\s(]{0,3}["']([^"'\n\\$]{4,200})`, only: isLiteral},
	{name: "password", keys: "temporary␣password generated␣password initial␣password", expr: `(?i:temporary|generated|initial) (?i:password)[^\n:]{1,60}:\s{1,3}(\S{6,100})`, only: func(s string) bool { return isPasswordLike(s, assignment{}) }},
	{name: "command-password", keys: "echo␣ printf␣", expr: `(?:echo|printf)(?: -\w{1,3})?(?: ['"]%s(?:\\n|\n)?['"])? ["']?([^\s"'$|;&]{4,200})["']?\s?>{1,2}\s?\S{0,80}(?i:passw|passphrase|secret|token|\.pass|api_?key|credential)`, only: isLogged},
	{name: "password", keys: "passw pwd secret token", each: findColumn},
	{name: "password", keys: ";pwd", expr: `;(?i:pwd)\s?=\s?["']?([^;"'\s]{3,200})`, only: isLiteral}, // of a database
	{name: "wifi-password", keys: "wifi:", expr: `(?i:wifi:)(?:[^\n]{0,100};)?P:((?:\\+;|[^;\n]){4,63})`},
	{name: "totp-seed", keys: "totp 2fa mfa otp authenticator two-factor", expr: `(?i:totp|2fa|mfa|otp|authenticator|two-factor)[ _-](?i:setup |secret )?(?i:key|seed|secret)["'\x60]?(?:\s?[:=]|\s(?:is|ist|est|es|lautet))?\s{0,2}["'\x60]?` +
		`((?:[A-Z2-7]{4}[ -]?){4,16}|(?:[a-z2-7]{4}[ -]){4,15}[a-z2-7]{4})\b`},
	{name: "one-time-code", roles: "pin code", look: findOneTimeCode},
	{name: "recovery-code", keys: "recovery␣code backup␣code", expr: `(?i:(?:recovery|backup) codes?)(?:\s?:|\s(?:is|are))?\s{1,3}((?:\w{4,6}-\w{4,6}[ ,\n]{1,2}){0,20}\w{4,6}-\w{4,6})`, only: words.HasDigit},
	{name: "seed-phrase", keys: "seed␣phrase recovery␣phrase mnemonic seed␣words backup␣phrase recovery␣words backup␣words", expr: `(?i:mnemonic|(?:seed|recovery|backup) (?:phrase|words))(?:\s?[:=]|\sis|\n)\s{0,3}["'\x60]?((?:[a-z]{3,8} ){11,23}[a-z]{3,8})\b`},

	{name: "password", keys: "pass pwd pw: pw= pw␣ psk masterauth", look: findPassword},
	{name: "password", roles: "password", look: findPassword},
	{name: "password", keys: "␣/␣", roles: "login", look: findLogin},
	{name: "secret", keys: "secret credential creds", look: findToken},
	{name: "token", roles: "token", look: findToken},
	{name: "api-key", keys: "key", look: findToken},
	{name: "token", keys: "token _auth _pat", look: findToken},
}
