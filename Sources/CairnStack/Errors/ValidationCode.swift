/// Core Data's error codes for broken rules (`CoreDataErrors.h`).
package enum ValidationCode {
    /// A validation hook or a predicate of the model refuses the value.
    package static let generic = 1550
    /// Several rules are broken. Each of them has its own code.
    static let multiple = 1560
    package static let missingValue = 1570
    package static let tooFewMembers = 1580
    package static let tooManyMembers = 1590
    package static let relationshipDenied = 1600
    package static let numberTooLarge = 1610
    package static let numberTooSmall = 1620
    package static let dateTooLate = 1630
    package static let dateTooSoon = 1640
    package static let textTooLong = 1660
    package static let textTooShort = 1670
    package static let textDoesNotMatch = 1680
}
