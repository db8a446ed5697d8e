import CairnCLibXML2

/// What is wrong with a document, and where.
struct XMLDamage: Error {
    var line: Int
    var detail: String
    /// What the document is, where it is a sound one of another kind.
    var otherKind: String?
}
