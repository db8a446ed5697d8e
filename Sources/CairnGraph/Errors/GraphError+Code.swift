import CairnStore

extension GraphError {
    /// Core Data's code (`CoreDataErrors.h`) of the error, where it has one: that of a single broken
    /// rule, 1560 for several, 133000 for an object that is not in its store any more, 133020 for
    /// rows and 133021 for unique values that were changed elsewhere.
    public var code: Int? {
        switch self {
        case .validation(let failures):
            failures.count == 1 ? failures[0].code : ValidationCode.multiple
        case .objectGone: 133_000
        case .mergeConflicts, .store(.rowConflicts): 133_020
        case .constraintConflicts, .store(.uniquenessConflicts): 133_021
        default: nil
        }
    }
}
