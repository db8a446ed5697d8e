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
        // What Core Data sets itself for these result types; compiled models show it.
        template.includesSubentities = flag("includeSubentities", absent: true)
        template.includesPropertyValues = flag(
            "includePropertyValues", absent: template.resultType != .objectIDs)
        template.includesPendingChanges = flag(
            "includesPendingChanges", absent: template.resultType != .dictionaries)
        template.returnsObjectsAsFaults = flag("returnObjectsAsFaults", absent: true)
        template.returnsDistinctResults = flag("returnDistinctResults", absent: false)
        return template
    }

    /// Text that does not parse is kept: a model that has it still opens its stores.
    private func condition(_ element: XMLElement) -> FetchRequestTemplate.Condition? {
        guard let text = element.text("predicateString") else { return nil }
        do throws(FetchPredicateError) {
            return .predicate(try FetchPredicate(format: text))
        } catch {
            return .unreadable(text: text, reason: error.description)
        }
    }
}
