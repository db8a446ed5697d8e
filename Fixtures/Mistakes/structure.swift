import CairnMacros
@Entity struct Book {
    var title = ""
}
