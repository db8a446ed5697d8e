extension GraphError {
    /// The error's code in `NSCocoaErrorDomain`: Core Data's (`CoreDataErrors.h`) or Foundation's.
    ///
    /// A single broken rule has the code of that rule, several have 1560. An object that is not in its
    /// store any more has 133000, rows that were changed elsewhere 133020, unique values 133021, a store
    /// of another model 134100, a file that is no store of the type 134010. An error that Core Data
    /// would report as an exception has the general code, 134060.
    public var code: Int { ErrorCodes.code(of: self) }
}
