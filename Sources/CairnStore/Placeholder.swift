import CairnModel
