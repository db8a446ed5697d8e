import CairnModel
import CairnStack

extension FetchRequest {
    /// Creates the request that a template describes. Variables remain in the predicate.
    ///
    /// The template's own `returnsObjectsAsFaults` is not copied: templates set it by default, because
    /// values cost more than IDs in Core Data. In Cairn they do not. A template that includes no values
    /// makes a request that returns faults.
    ///
    /// - Throws: `.predicate` if the template's predicate could not be read.
    init(_ template: FetchRequestTemplate) throws(GraphError) {
        self.init(template.entity)
        switch template.condition {
        case nil: break
        case .predicate(let predicate)?: self.predicate = predicate
        case .unreadable(let text, let reason)?:
            throw .predicate(.unsupported(expression: text, advice: reason))
        }
        sortDescriptors = template.sortDescriptors.map {
            FetchSortDescriptor($0.keyPath, ascending: $0.isAscending)
        }
        resultType = template.resultType
        fetchLimit = template.fetchLimit
        fetchOffset = template.fetchOffset
        fetchBatchSize = template.fetchBatchSize
        includesSubentities = template.includesSubentities
        returnsObjectsAsFaults = !template.includesPropertyValues
        includesPendingChanges = template.includesPendingChanges
        returnsDistinctResults = template.returnsDistinctResults
    }
}
