import CairnModel

/// The bits of `NSFetchRequestFlags`.
///
/// Their order is that of the flags in the public header NSFetchRequest.h. Recorded values confirm it: 30
/// is the default, 31 is used with distinct results, 14 with dictionaries, and 26 with object IDs.
struct FetchRequestFlags: OptionSet {
    let rawValue: Int

    static let distinct = Self(rawValue: 1)
    static let subentities = Self(rawValue: 2)
    static let propertyValues = Self(rawValue: 4)
    static let faults = Self(rawValue: 8)
    static let pendingChanges = Self(rawValue: 16)

    init(rawValue: Int) {
        self.rawValue = rawValue
    }

    init(_ template: FetchRequestTemplate) {
        self = []
        if template.returnsDistinctResults { insert(.distinct) }
        if template.includesSubentities { insert(.subentities) }
        if template.includesPropertyValues { insert(.propertyValues) }
        if template.returnsObjectsAsFaults { insert(.faults) }
        if template.includesPendingChanges { insert(.pendingChanges) }
    }

    func apply(to template: inout FetchRequestTemplate) {
        template.returnsDistinctResults = contains(.distinct)
        template.includesSubentities = contains(.subentities)
        template.includesPropertyValues = contains(.propertyValues)
        template.returnsObjectsAsFaults = contains(.faults)
        template.includesPendingChanges = contains(.pendingChanges)
    }
}
