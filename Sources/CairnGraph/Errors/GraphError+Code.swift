import CairnStore

extension GraphError {
    /// Core Data's code (`CoreDataErrors.h`) of the error, where it has one: that of a single broken
    /// rule, 1560 for several, 133000 for an object that is not in its store any more, 133020 for
    /// rows and 133021 for unique values that were changed elsewhere, 134000 for a type of store that is
    /// not known, 134010 for a store of another type than the one asked for, 134100 for a store that was
    /// written with an incompatible model.
    public var code: Int? {
        switch self {
        case .validation(let failures):
            failures.count == 1 ? failures[0].code : ValidationCode.multiple
        case .objectGone: 133_000
        case .mergeConflicts, .store(.rowConflicts): 133_020
        case .constraintConflicts, .store(.uniquenessConflicts): 133_021
        case .store(.unknownType): 134_000
        case .store(.notAStore): 134_010
        case .store(.modelMismatch): 134_100
        default: nil
        }
    }
}
