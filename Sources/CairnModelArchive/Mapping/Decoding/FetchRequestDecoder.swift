import CairnModel

/// Reads `NSFetchRequest`.
enum FetchRequestDecoder {
    /// Returns the request. Returns `nil` if it names no entity, because it could not be run.
    ///
    /// - Parameter entity: the entity's name, if the request's owner knows it.
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
