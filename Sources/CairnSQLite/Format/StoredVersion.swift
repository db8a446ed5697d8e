/// The version of a row, as stored in `Z_OPT`.
enum StoredVersion {
    /// The version of a row whose `Z_OPT` is NULL. Such a row was saved once.
    static let ofNull: Int64 = 1

    /// The SQL expression for a row's version, for comparison with the version that was read
    /// earlier.
    static let column = "ifnull(Z_OPT, \(ofNull))"
}
