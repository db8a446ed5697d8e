/// Core Data's error codes for broken rules (`CoreDataErrors.h`).
enum ValidationCode {
    /// A validation hook or a predicate of the model refuses the value.
    static let generic = 1550
    /// Several rules are broken. Each of them has its own code.
    static let multiple = 1560
    static let missingValue = 1570
    static let tooFewMembers = 1580
    static let tooManyMembers = 1590
    static let relationshipDenied = 1600
    static let numberTooLarge = 1610
    static let numberTooSmall = 1620
    static let dateTooLate = 1630
    static let dateTooSoon = 1640
    static let textTooLong = 1660
    static let textTooShort = 1670
    static let textDoesNotMatch = 1680
}
