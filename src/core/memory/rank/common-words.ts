import { stem } from './porter.ts';

/**
 * Words, as stems, that texts about any software share. In a small store some of them are rare all the same; they
 * count less than their rarity says, and a task that shares nothing else with the store is foreign to it.
 */
const lines = [
  'able accept access accidental accordingly across action actual ad add addition adjust affect align allow',
  'already alternative always amend annotate another answer api app appear append apply approach appropriate',
  'arg argument around array assert assign assume async attempt attribute author auto automatic available avoid',
  'aware away back bad base basic become begin behave behavior behaviour believe best better big binary block',
  'boolean both branch break broken bug build bump call case catch cause certain change changelog char',
  'character check chore ci clarify clean cleanup clear close code collect com combine come command comment',
  'commit common compare compat compatible compile complete complex concern condition config configuration',
  'configure confirm conflict confuse consider consistent constant contain content context continue contribute',
  'control convert copy core correct count cover coverage crash create current custom data date deal debug',
  'decide declare default define definition delete depend dependency deprecate describe description design',
  'detail detect determine dev develop difference different dir direct directly directory disable discuss',
  'display distinct docs document documentation documented doesn double drop due duplicate early easy edit',
  'effect either empty enable encounter end enforce enhance ensure enter entire entry env environment equal',
  'error especially etc evaluate event ever exact example except exception exclude execute exist existing exit',
  'expect expected explain explicit explicitly export expose extend extension extra extract fact fail failure',
  'fallback false fast feat feature field file fill final find fine first fix fixed fixup flag follow force',
  'form format formerly forward found four full function functionality further future general generate generic',
  'git github give given global good guarantee guard guide handle handler happen hard hash have help helper',
  'here hide high hint hold however http id idea identical ignore immediate implement implementation implicit',
  'import important improve improvement inappropriate include incorrect increase indeed indent index indicate',
  'individual info inform information init initial initialize inline input insert inside install instance',
  'instead integer integration intend internal introduce invalid invoke io issue item iterate javascript job',
  'json keep key kind know known label lack language large last late later latest latter lead leak least leave',
  'left legacy length less level library like likely limit line link lint linux list literal little load local',
  'locate log logic long longer look lose low macos main maintain major manage manual map mark match matter max',
  'md mean mechanism mention merge message method migrate minimal minimum minor misc miss missing mistake mode',
  'modern modify more move multiple name necessary need negative never new next nice non none normal note',
  'nothing notice null number object obsolete occur odd old omit open operation optimize option optional order',
  'original os otherwise output outside overall override package page parameter params parse part partial',
  'particular pass patch path pattern perform performance perhaps piece place plain please point position',
  'possible potential pr prefer prefix prepare present preserve prevent previous previously print prior private',
  'probably problem proceed process produce project proper properly property protect provide pull purpose push',
  'put python quality question quick quite quote raise range raw reach read readable readme ready real really',
  'reason receive recent record redirect reduce redundant ref refactor refer reference regression related',
  'release relevant rely remain remove rename render reorder repeat replace repo report repository request',
  'require reset resolve respect response restore restrict result return reuse revert review rewrite right root',
  'rule run runtime safe same save say script search second section see seem select self send sense sentence',
  'separate sequence series server set setting setup several share short show side sign similar simple simplify',
  'since single size skip slight slow small solution solve some sort source space special specific specify',
  'split src stable standard start state statement static status stay step still stop store string structure',
  'stuff style sub subsequent succeed success such suggest suite support supposed sure switch sync syntax',
  'system table tag take target tell template temporary term test text thing think third time title together',
  'top total touch track treat trigger trivial true try turn tweak two type typescript typo undefined',
  'understand unexpected unified unify unique unit unknown unless unnecessary unneeded unrelated unset',
  'unsupported unused update upgrade upstream url usage useful useless user usual util utility valid validate',
  'value var variable variant various verify version via view visible wait want warn warning way web weird',
  'white whitespace whole wide windows word work workaround workflow worth wrap write wrong year zero',
];

let stems: ReadonlySet<string> | null = null;

/** Made when it is first asked: most starts of the program rank nothing. */
export function isCommon(term: string): boolean {
  stems ??= new Set(lines.flatMap((line) => line.split(' ').map(stem)));
  return stems.has(term);
}
