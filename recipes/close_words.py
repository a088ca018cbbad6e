"""What tells near languages apart that the models know from little text, or from text of one kind alone: their small words.

Zulu is known from messages of programs and Northern Ndebele from a translation of Genesis, so that a Zulu newspaper reads like
the latter; of Cebuano, Hiligaynon and Waray there is far less than of Tagalog. As grammars and dictionaries have them, written
for this purpose; a word stands for all of a group that use it, also by the texts of ``page_texts.py``. South Slavic has a module
of its own. What Indonesian and Malay differ in by their dictionaries stands here beside the words that were learnt.
"""

from __future__ import annotations

#: Of each group the words of one or more of its classes, and what each word costs those that it is not of.
WORDS: dict[tuple[str, ...], dict[tuple[str, float], str]] = {
    ("id", "ms"): {
        ("id", 3.0): "karena bahwa polisi kepolisian mobil kantor uang universitas kualitas aktivitas fasilitas provinsi kabupaten kecamatan bandara ponsel kecelakaan "
        "silakan gratis perusahaan karyawan apotek mahasiswa senin jumat maret juni juli agustus desember coba mencoba beda berbeda perbedaan koran televisi musik "
        "layanan pelayanan unduh mengunduh surel yaitu butuh membutuhkan rupiah gubernur bupati walikota pemilu sepeda kemarin enggak nggak tim resmi jutaan miliar "
        "listrik nomor kulkas sepak investasi energi prestasi organisasi asosiasi olahraga pertandingan",
        ("ms", 3.0): "kerana bahawa polis pejabat wang universiti kualiti aktiviti kemudahan pelancong pelancongan kemalangan percuma syarikat kakitangan "
        "pensyarah isnin jumaat ahad julai ogos disember cuba mencuba beza berbeza perbezaan akhbar televisyen muzik perkhidmatan iaitu parlimen timbalan pengerusi "
        "sukan kejohanan peniaga basikal kanak cikgu elektrik pelaburan pertubuhan ringgit kedai kilang semalam hujung hadapan "
        "seramai manakala kampung lebuh keretapi mesyuarat peperiksaan bimbit tuisyen",
        ("id", 1.5): "pemerintah bisa saat pukul siswa dokter toko pabrik libur liburan nanti informasi akhir pekan anggota mau situs kamu",
        ("ms", 1.5): "kerajaan selepas semasa maklumat cuti hendak awak sila ialah ahli boleh ramai tiada mesti negeri pelajar balik doktor pasukan perlawanan dibuka umum",
    },
    ("tl", "ceb", "hil", "war"): {
        ("tl", 3.0): "akin aking aklat alam aming anim araw ating ay ayon bago bahay bakit bang bansa bawat dahil dalawa dalawang din dito doon gabi "
        "gawin ginawa gitna habang hanggang hindi ibang ilalim ilog isang ito iyan iyon iyong kahapon kahit kailangan kanilang kaniyang kanyang kapag "
        "kasi kaunti kayo kong labas lahat lima loob lungsod maaari maaaring mabuti maganda magandang maging malaki malaking maliit marami maraming "
        "mayroon mayroong mong mula muna mundo naman namin nang nasa nasaan natin ng ngayon ngayong ngunit nilang nito niyang noon opo paano "
        "pamahalaan pangulo po pumunta rin saan salita sinabi sino subalit talaga taon taong tatlo tatlong tayo tulad tungkol upang walang wika yung",
        ("ceb", 3.0): "adunay akong alang among aron asa atong bitaw buhaton busa daghan daghang dakbayan dakong diay dili gabii gamayng gayod gibuhat "
        "giunsa gyud hangtud higala human ilalom imong iyang jud kaayo kagahapon kalibotan kana kanako kanamo kanato kaniadto kanimo kaninyo kanus "
        "karong kini kinsa lungsoran mahimong mao maong matod matud miadto miingon moadto nako nato ngano nganong niadto niadtong niana niini og "
        "sama sukad tali taliwala uban ubang ugma unsa unsaon unsay unya usab usahay walay",
        ("ceb", 2.5): "kahibalo kabalo nahibalo kasagaran misugod magsugod mitubag misulti gisulti kuwarta paliton nangaon tugnaw lagi murag kanang kaning niining akoa imoha iyaha "
        "naa naay dinhi gihapon pud laing lain gihatag gikuha gitawag gihimo gipadala moingon mogawas mosulod mahinungdanon magtutudlo eskwelahan sayon kusog",
        ("hil", 3.0): "anum apang bangod bangud banwa daku diutay gid halin indi ining inyo isa kag madamo nahanungod ngaa pagid sadto sang sia sin "
        "sina sing sini subong tani tungud",
        ("war", 3.0): "adto an bungto damo diri gutiay ha hadto hadton hain han hin hini hira hito hiton hiya ira iton kakulop kasiring kondi kun "
        "liwan maupay mayda nano nasyon ngahaw ngan siring tikang waray yana",
        ("tl war", 3.0): "iba niyan",
        ("tl hil", 3.0): "apat bilang bukas daw pagkatapos tao",
        ("tl ceb", 3.0): "kanila kaniya",
        ("ceb war", 3.0): "gawas kahimtang kalibutan kinabuhi mahitungod nasud nimo pinaagi pulong ug",
        ("ceb hil", 3.0): "gani gikan ila maayong mahimo palihog palihug",
        ("ceb war", 2.0): "hangtod ngadto usa",
        ("ceb hil", 2.0): "apan gamay karon maayo",
        ("hil war", 3.0): "amo amon aton imo ini iya liwat pakadto",
        ("tl hil war", 3.0): "dapat",
        ("ceb hil war", 3.0): "bahin dayon diin kinahanglan samtang sulod",
        ("ceb hil war", 2.0): "kamo didto adlaw akon balay bisan bukid dako dalan duha kay napulo nga ngalan pito siyam suba tanan tawo tuig tulo tungod upat "
        "walo yuta",
    },
    ("zu", "nd", "xh", "nr", "ss"): {
        ("zu", 3.0): "abaningi akekho akuna amaningi amaphoyisa amashumi angeke bazoba bazokwenza emphakathini esikoleni ezikoleni eziningi ezweni "
        "futhi hulumeni ikheli imindeni imininingwane imoto iningi intsha iphoyisa iqembu ishumi isikole izikole izimoto izinkinga izoba izwe izwekazi "
        "kuleli kulesi kulolu kuningi kuzoba kwesokudla kwezwe lezwe nabantu nabo nami namuhla nathi nawe naye nezinto ngemoto ngenkathi nokunye "
        "okuningi othisha ubuningi ucingo uhlelo uhulumeni umphakathi uthisha uzoba uzokwenza zizoba",
        ("nd", 3.0): "abanengi akulamuntu amapholisa amatshumi bazakuba besiya bulawayo ekuseni engamatshumi esiya ezimbabwe ezinengi hulumende "
        "idolobho imota inengi ipholisa isindebele itshumi izakuba izimota kabazange kambe kazange khathesi khonapho kunengi kusiya kuzakuba "
        "lamatshumi lamuhla lathi laye nxa okunengi tshengisa ubunengi uhlupho uhulumende ukutshengisa usiya uzakuba wehulumende yikho zimbabwe "
        "zizakuba",
        ("nd", 1.0): "njalo",
        ("xh", 3.0): "abaninzi amaninzi apho eli elo emzantsi enkosi esikolweni ezi ezininzi iingxaki iinkcukacha ininzi isixhosa kananjalo kufuneka "
        "kungoko kwaye mna mntu mzantsi namhlanje nangona nceda ndi ngamnye ngoku njengoko okanye olu phantsi rhulumente umntu umzantsi uninzi "
        "urhulumente xa yaye",
        ("nr", 3.0): "abentwana begodu godu hlangana iimphathiswa imilayo isitjhaba kobana lokha nakunjalo namkha nange nanyana ngaphasi nofana",
        ("ss", 3.0): "bantfu bantfwana bonkhe etulu futsi kantsi konkhe kute kutsi kwekutsi letinye lokutsi lomuntfu nangabe nekutsi ngobe siswati "
        "sonkhe tindzaba tonkhe umuntfu",
        ("zu ss", 3.0): "inkinga kahle ngemuva uma umndeni",
        ("zu xh", 3.0): "kwi nabanye nezinye",
        ("zu ss", 2.5): "ningizimu noma",
        ("zu nd", 2.0): "kodwa lokho ngoba ukuthi",
        ("zu xh", 1.5): "akukho ulwazi",
        ("nd nr", 3.0): "akula amanengi kumbe",
        ("nd ss", 3.0): "lokunye",
        ("nd nr", 2.5): "ibizo loba",
        ("xh ss", 3.0): "kuba",
        ("zu nd ss", 3.0): "emuva",
        ("zu nd nr", 2.0): "lokhu umuntu",
        ("zu nd ss", 2.0): "yini",
        ("zu xh nr", 1.5): "amagama igama",
        ("nd nr ss", 3.0): "labanye",
        ("nd xh nr", 2.0): "elizweni ilizwe isikolo",
        ("zu nd nr ss", 2.0): "lapho",
        ("nd xh nr ss", 3.0): "emva",
    },
}  # fmt: skip


def costs(group: tuple[str, ...]) -> dict[str, tuple[float, ...]]:
    """word -> its cost for each class of a group; a word of several lists costs a class only what all of them ask."""
    found: dict[str, tuple[float, ...]] = {}
    for (own, cost), words in WORDS[group].items():
        row = tuple(0.0 if kind in own.split() else cost for kind in group)
        for word in words.split():
            found[word] = tuple(map(min, found[word], row)) if word in found else row
    return {word: row for word, row in found.items() if max(row) > 0}
