extension GraphError {
    /// The error's code in `NSCocoaErrorDomain`: Core Data's (`CoreDataErrors.h`) or Foundation's.
    ///
    /// A single broken rule has the code of that rule; several broken rules have the code 1560. Other
    /// codes are 133000 for an object that its store no longer contains, 133020 for rows that were
    /// changed elsewhere, 133021 for duplicate values, 134100 for a store of another model, and 134010
    /// for a file that is not a store of the type. Errors that Core Data would report as exceptions have
    /// the general code, 134060.
    public var code: Int { ErrorCodes.code(of: self) }
}
