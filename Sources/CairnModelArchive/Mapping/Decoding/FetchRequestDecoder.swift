import CairnModel

/// Decodes `NSFetchRequest`.
enum FetchRequestDecoder {
    /// Returns the request, or `nil` if it has no entity, because it could not be executed.
    ///
    /// - Parameter entity: The name of the entity, if the owner of the request knows it.
    static func template(
        _ request: ArchivedObject, entity: String? = nil
    ) throws(ModelArchiveError) -> FetchRequestTemplate? {
        let own = try request.object("NSEntity")?.string("NSEntityName")
        let named = try request.string("NSEntityName")
        guard let entity = entity ?? own ?? named else { return nil }
        var template = FetchRequestTemplate(entity: entity)
        template.condition = try PredicateDecoder.predicate(request.value("NSPredicate")).condition
        for value in try request.elements("NSSortDescriptors") {
            guard let key = try value.object?.string("NSKey") else { continue }
            template.sortDescriptors.append(
                FetchRequestTemplate.SortDescriptor(
                    key, isAscending: try value.object?.value("NSAscending").boolean ?? true))
        }
        template.resultType =
            FetchRequestTemplate.ResultType(rawValue: try request.integer("NSResultType") ?? 0)
            ?? .managedObjects
        template.fetchLimit = try request.integer("NSFetchLimit") ?? 0
        template.fetchOffset = try request.integer("NSFetchOffset") ?? 0
        template.fetchBatchSize = try request.integer("NSBatchSize") ?? 0
        if let flags = try request.integer("NSFetchRequestFlags") {
            FetchRequestFlags(rawValue: flags).apply(to: &template)
        }
        return template
    }
}

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
