function set(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/** Modules that come with Python. */
export const pythonLibrary = set(`
  abc aifc argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii bisect builtins bz2 cProfile
  calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall concurrent configparser
  contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils
  doctest email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools
  gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http imaplib imghdr imp importlib
  inspect io ipaddress itertools json keyword linecache locale logging lzma mailbox marshal math mimetypes mmap
  modulefinder multiprocessing netrc ntpath numbers opcode operator optparse os pathlib pdb pickle pickletools pipes
  pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pyexpat queue
  quopri random re readline reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal
  site smtplib socket socketserver sqlite3 ssl stat statistics string stringprep struct subprocess symtable sys
  sysconfig syslog tarfile telnetlib tempfile termios textwrap threading time timeit tkinter token tokenize tomllib
  trace traceback tracemalloc tty types typing unicodedata unittest urllib uuid venv warnings wave weakref webbrowser
  wsgiref xml xmlrpc zipapp zipfile zipimport zlib zoneinfo
`);

/** Files that come with Ruby, by the first part of their name. */
export const rubyLibrary = set(`
  English abbrev base64 benchmark bigdecimal bundler cgi coverage csv date delegate digest drb erb etc expect fiddle
  fileutils find forwardable getoptlong io ipaddr irb json logger matrix minitest monitor net objspace observer open-uri
  open3 openssl optparse ostruct pathname pp prettyprint prime pstore psych racc rake rbconfig readline reline resolv
  rexml ripper rss rubygems securerandom set shellwords singleton socket stringio strscan tempfile test time timeout
  tmpdir tsort uri weakref yaml zlib
`);

/** Modules that come with Perl, by the first part of their name. */
export const perlLibrary = set(`
  App Archive Attribute AutoLoader B Benchmark CPAN Carp Class Compress Config Cwd DB Data Devel Digest Encode English
  Env Errno Exporter ExtUtils Fcntl File FindBin Getopt HTTP Hash I18N IO IPC JSON List Locale MIME Math Memoize Module
  Net POSIX Params Perl PerlIO Pod Safe Scalar Search SelfLoader Socket Storable Symbol Sys TAP Term Test Text Thread
  Tie Time UNIVERSAL Unicode User base bigint bignum bytes charnames constant feature fields integer lib locale overload
  parent sort strict threads utf8 vars version warnings
`);

/** Headers that come with a C or C++ compiler or a POSIX system. */
export const cHeaders = set(`
  assert.h complex.h ctype.h errno.h fenv.h float.h inttypes.h iso646.h limits.h locale.h math.h setjmp.h signal.h
  stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h stdnoreturn.h string.h strings.h tgmath.h
  threads.h time.h uchar.h wchar.h wctype.h unistd.h fcntl.h pthread.h dirent.h regex.h poll.h dlfcn.h sys/types.h
  sys/stat.h sys/wait.h sys/time.h sys/mman.h sys/socket.h algorithm any array atomic bitset cassert cctype cerrno
  cfloat chrono cinttypes climits cmath concepts condition_variable csetjmp csignal cstdarg cstddef cstdint cstdio
  cstdlib cstring ctime deque exception expected filesystem format forward_list fstream functional future
  initializer_list iomanip ios iosfwd iostream istream iterator limits list locale map memory mutex new numeric optional
  ostream print queue random ranges ratio regex set shared_mutex source_location span sstream stack stdexcept streambuf
  string string_view system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility valarray
  variant vector version
`);
