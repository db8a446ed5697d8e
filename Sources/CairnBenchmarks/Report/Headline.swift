/// One of a program's most frequent operations with objects. The first screen of a report has a chart for each.
package enum Headline: String, Sendable, Codable, CaseIterable {
    /// Fetch objects.
    case fetch
    /// Fire a fault.
    case fault
    /// Follow a to-one relationship.
    case toOne
    /// Follow a to-many relationship.
    case relationship
    /// Save one object.
    case save
    /// Save many objects.
    case saveMany
    /// Open a store.
    case open
    /// The memory of an object. The only headline that is not a time.
    case memory

    /// The title of the chart.
    var title: String {
        switch self {
        case .fetch: "Fetch all objects"
        case .fault: "Fire one fault"
        case .toOne: "Follow a to-one"
        case .relationship: "Follow a to-many"
        case .save: "Save one object"
        case .saveMany: "Save many objects"
        case .open: "Open a store"
        case .memory: "Memory of an object"
        }
    }

    /// What is measured, in a few words.
    var method: String {
        switch self {
        case .fetch: "all objects of the store, with their values"
        case .fault: "reads the values of one object by its ID"
        case .toOne: "fetches 1,000 objects with their owners"
        case .relationship: "reads the 1,000 members of ten objects"
        case .save: "one new object, in a save of its own"
        case .saveMany: "creates all objects and saves them together"
        case .open: "opens it, reads the first object, and closes it"
        case .memory: "what a fetched object adds"
        }
    }
}
