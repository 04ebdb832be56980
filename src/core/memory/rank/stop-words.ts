/** Words that tell nothing about what a text is about. */
export const stopWords: ReadonlySet<string> = new Set(
  [
    'a about above after again all also although always am an and any are as at be became because been before being',
    'below between both but by can cannot could did do does doesn doing don done down during each either else even ever',
    'every few for from further get gets getting go goes had has have having he her here hers him his how i if in into',
    'is isn it its itself just let like ll made make makes many may me might more most much must my need needs neither',
    'no nor not now of off on once one only onto or other our ours out over own per rather re s same she should since so',
    'some such t than that the their them then there these they this those though through thus to too under until up',
    'upon us use used uses using ve very was we well were what when where whether which while who whom whose why will',
    'with within without won would yet you your',
  ].flatMap((line) => line.split(' ')),
);
