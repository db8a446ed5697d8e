/// The position of one store in the order of a coordinator's stores. It is reserved before the store is opened,
/// so that the time that opening takes has no influence on the order.
package final class StorePosition: Sendable {
    /// The description that the store is opened for. `nil` if the program adds the store without one.
    let description: PersistentStoreDescription?

    init(for description: PersistentStoreDescription? = nil) {
        self.description = description
    }
}
