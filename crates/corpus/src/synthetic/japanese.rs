//! Japanese: words of two kanji, loan words in katakana, and particles between the words.

use std::sync::LazyLock;

use super::LanguageModel;
use super::random::Random;

/// 300 common characters, without duplicates.
const KANJI: &str = "\
    日一国人年大十二本中長出三時行見月後前生五間上東四今金九入学\
    高円子外八六下来気小七山話女北午百書先名川千水半男西電校語土\
    木聞食車何南万毎白天母火右読友左休父雨会同事自社発者地業方新\
    場員立開手力問代明動京目通言理体田主題意不作用度強公持野以思\
    家世多正安院心界教文元重近考画海売知道集別物使品計死特私始朝\
    運終台広住無真有口少町料工建空急止送切転研足究楽起着店病質待\
    試族銀早映親験英医仕去味写字答夜音注帰古歌買悪図週室歩風紙黒\
    花春赤青館屋色走秋夏習駅洋旅服夕借曜飲肉貸堂鳥飯勉冬昼茶弟牛\
    魚兄犬妹姉漢政議民連対部合市内相定回選米実関決全表戦経最現調\
    化当約首法性的要制治務成期取都和機平加受続進数記初指権支産点";
const KANJI_COUNT: usize = 300;
static CHARACTERS: LazyLock<Vec<char>> = LazyLock::new(|| KANJI.chars().collect());

/// Syllables of loan words.
const KATAKANA: [&str; 40] = [
    "ア", "イ", "ウ", "エ", "オ", "カ", "キ", "ク", "ケ", "コ", "サ", "シ", "ス", "セ", "ソ", "タ",
    "チ", "ツ", "テ", "ト", "ナ", "ニ", "ネ", "ノ", "ハ", "ヒ", "フ", "ホ", "マ", "ミ", "ム", "メ",
    "モ", "ラ", "リ", "ル", "レ", "ロ", "ワ", "ン",
];

/// Particles between content words, repeated to approximate the frequencies of written Japanese.
const PARTICLES: [&str; 16] = [
    "の", "の", "の", "の", "に", "に", "は", "を", "を", "が", "が", "と", "で", "で", "や",
    "から",
];

const ENDINGS: [&str; 10] = [
    "である。", "された。", "となった。", "がある。", "している。", "した。", "とされる。",
    "と呼ばれる。", "に属する。", "で知られる。",
];

const KINDS: [&str; 12] = [
    "駅", "市", "町", "川", "山", "大学", "高等学校", "の戦い", "線", "神社", "城", "島",
];

pub(super) struct Japanese;

impl Japanese {
    fn kanji(at: usize) -> char {
        CHARACTERS[at % KANJI_COUNT]
    }
}

impl LanguageModel for Japanese {
    fn word(&self, rank: usize) -> String {
        // One word in five is a loan word.
        if rank % 5 == 4 {
            let mut left = rank / 5;
            let mut word = String::new();
            for _ in 0..3 {
                word.push_str(KATAKANA[left % KATAKANA.len()]);
                left /= KATAKANA.len();
            }
            word.push('ー');
            return word;
        }
        // Each pair occurs once, in an order that mixes the first characters.
        let pair = rank * 7_919 % (KANJI_COUNT * KANJI_COUNT);
        let (first, second) = (pair / KANJI_COUNT, pair % KANJI_COUNT);
        [Self::kanji(first), Self::kanji(second)].iter().collect()
    }

    fn title(&self, number: u64) -> String {
        let kinds = KINDS.len() as u64;
        let kind = KINDS[(number % kinds) as usize];
        let mut left = number / kinds;
        let mut title = String::new();
        let base = KANJI_COUNT as u64;
        while left > 0 || title.chars().count() < 2 {
            // Multiplying by 77, which is coprime to the base, gives every digit a separate
            // character.
            let digit = (left % base * 77 + 41) % base;
            title.push(Self::kanji(digit as usize));
            left /= base;
        }
        title + kind
    }

    fn category(&self, number: usize) -> String {
        const WHAT: [&str; 8] = [
            "の歴史", "の鉄道駅", "の人物", "の都市", "の大学", "の作品", "の河川", "の企業",
        ];
        if number == 0 {
            return "日本の歴史".to_owned();
        }
        let place = self.word(number / WHAT.len() * 5 + 1);
        place + WHAT[number % WHAT.len()]
    }

    fn sentence(&self, words: &[String], random: &mut Random) -> String {
        let mut text = String::new();
        for (at, word) in words.iter().enumerate() {
            if at > 0 {
                text.push_str(PARTICLES[random.below(PARTICLES.len() as u64) as usize]);
                if at % 4 == 3 {
                    text.push('、');
                }
            }
            text.push_str(word);
        }
        text + ENDINGS[random.below(ENDINGS.len() as u64) as usize]
    }

    fn opening(&self, title: &str, words: &[String]) -> String {
        format!("{title}は、{}にある。", words.join("の"))
    }
}
