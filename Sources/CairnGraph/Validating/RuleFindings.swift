import CairnModel

/// What a save found of an object by the model's rules before it calls the object's hook, so that the
/// hook's call of `super` checks nothing again.
struct RuleFindings {
    /// What the save does with the object.
    enum Occasion {
        case insertion, update, deletion
    }

    private let object: ManagedObject
    private let occasion: Occasion
    let failures: [ValidationFailure]

    init(_ object: ManagedObject, _ occasion: Occasion, _ failures: [ValidationFailure]) {
        self.object = object
        self.occasion = occasion
        self.failures = failures
    }

    /// Whether these are the findings of an object that was not changed since.
    func hold(for object: ManagedObject, _ occasion: Occasion) -> Bool {
        self.object === object && self.occasion == occasion && !object.state.contains(.touched)
    }
}
