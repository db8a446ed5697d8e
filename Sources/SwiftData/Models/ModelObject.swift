public import CairnObjects

/// The managed object of a model in a context.
@usableFromInline final class ModelObject: ManagedObject {
    /// What the objects of the entity share. `nil` before the object gets an instance.
    var home: ModelHome?
    /// The model, while it has unsaved changes. The context holds changed objects, and each of them its model.
    private(set) var heldInstance: AnyObject?
    /// The instance of a model that is not held.
    private weak var knownInstance: AnyObject?

    /// The only instance of the model in the context. `nil` if nothing holds the instance.
    var instance: AnyObject? { heldInstance ?? knownInstance }

    override func didSave() { release() }

    /// Sets the instance of a fetched model.
    func know(_ instance: AnyObject) { knownInstance = instance }

    /// Holds the model, because it has unsaved changes.
    func hold(_ instance: AnyObject) { heldInstance = instance }

    /// Lets the model go, because it has no unsaved changes any more.
    func release() {
        // A weak reference needs memory of its own, so a model that ends now gets none.
        if heldInstance == nil || isKnownUniquelyReferenced(&heldInstance) { return forget() }
        let model = heldInstance.flatMap { home?.entity.model($0) }
        weaken()
        model?.persistentBackingData.keepContext()
    }

    /// Lets the model go, and knows it as long as something else holds it.
    func weaken() {
        knownInstance = heldInstance
        heldInstance = nil
    }

    /// Lets the model go, because nobody will ask for it.
    func forget() { heldInstance = nil }
}
