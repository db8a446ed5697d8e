/// The version of a row, as `Z_OPT` holds it.
enum StoredVersion {
    /// The version of a row whose `Z_OPT` is NULL: that of a row which was saved once.
    static let ofNull: Int64 = 1

    /// `Z_OPT` as SQL compares it with the version that a row was read with.
    static let column = "ifnull(Z_OPT, \(ofNull))"
}
