internal import CairnObjects

/// The managed object of a model in a context.
final class ModelObject: ManagedObject {
    /// The only instance of the model in the context. `nil` if nothing holds the instance.
    weak var model: (any PersistentModel)?
    /// The model, while it has unsaved changes. The context holds changed objects, and each of them its model.
    var heldModel: (any PersistentModel)?

    override func didSave() { releaseModel() }

    /// Lets the model go, because it has no unsaved changes any more.
    func releaseModel() {
        heldModel?.persistentBackingData.keepContext()
        heldModel = nil
    }
}
