import CairnModel

/// Reads `<fetchRequest>`.
struct SourceFetchRequestReader {
    func template(_ element: XMLElement) throws(XMLFailure) -> FetchRequestTemplate {
        var template = FetchRequestTemplate(
            entity: try element.required("entity"), condition: condition(element))
        template.resultType =
            FetchRequestTemplate.ResultType(rawValue: element.integer("resultType") ?? 0)
            ?? .managedObjects
        template.fetchLimit = element.integer("fetchLimit") ?? 0
        template.fetchBatchSize = element.integer("fetchBatchSize") ?? 0
        func flag(_ name: String, absent: Bool) -> Bool {
            element[name].flatMap(XMLElement.truth) ?? absent
        }
        // The defaults that Core Data sets for these result types, according to compiled models.
        template.includesSubentities = flag("includeSubentities", absent: true)
        template.includesPropertyValues = flag(
            "includePropertyValues", absent: template.resultType != .objectIDs)
        template.includesPendingChanges = flag(
            "includesPendingChanges", absent: template.resultType != .dictionaries)
        template.returnsObjectsAsFaults = flag("returnObjectsAsFaults", absent: true)
        template.returnsDistinctResults = flag("returnDistinctResults", absent: false)
        return template
    }

    /// Reads the condition. Text that cannot be parsed is kept, so that the model can still open its stores.
    private func condition(_ element: XMLElement) -> FetchRequestTemplate.Condition? {
        guard let text = element.text("predicateString") else { return nil }
        do throws(FetchPredicateError) {
            return .predicate(try FetchPredicate(format: text))
        } catch {
            return .unreadable(text: text, reason: error.description)
        }
    }
}
