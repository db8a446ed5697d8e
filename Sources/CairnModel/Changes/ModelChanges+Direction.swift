extension ModelChanges {
    /// Whether the new model looks like a later version of the old one. It does if a renaming identifier in
    /// it refers to a name of the old model, or if it adds parts to the old model and removes none.
    ///
    /// This is a guess, because a model does not record when it was made.
    var isProbablyUpgrade: Bool {
        if entities.contains(where: \.hasExplicitRename) { return true }
        let (added, removed) = (additionCount, removalCount)
        return added > 0 && removed == 0
    }

    private var additionCount: Int {
        entities.reduce(0) { count, change in
            count + (change.old == nil ? 1 : 0) + change.properties.filter { $0.old == nil }.count
        }
    }

    private var removalCount: Int {
        entities.reduce(0) { count, change in
            count + (change.new == nil ? 1 : 0) + change.properties.filter { $0.new == nil }.count
        }
    }
}

extension EntityChange {
    /// Whether the new entity or one of its properties was renamed and has the old name as its renaming
    /// identifier.
    fileprivate var hasExplicitRename: Bool {
        if let old, let new, old.name != new.name, new.renamingIdentifier == old.name {
            return true
        }
        return properties.contains { change in
            guard let old = change.old?.property, let new = change.new?.property else {
                return false
            }
            return old.name != new.name && new.renamingIdentifier == old.name
        }
    }
}
