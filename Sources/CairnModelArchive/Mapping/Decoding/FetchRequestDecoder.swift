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
