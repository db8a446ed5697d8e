import CairnMacros
struct Book { @Managed var title: String }
final class Other { @Managed var title: String }
