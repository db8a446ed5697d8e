import Cairn

extension ManagedObjectContext {
    /// Performs on the real objects the operation that the naive graph performed on its nodes.
    ///
    /// - Parameter object: Returns the object of a node.
    /// - Returns: The object that the operation inserted, or `nil` if the operation is not an insertion.
    @discardableResult
    func apply(
        _ operation: GraphOperation, object: (Int) throws -> ManagedObject
    ) throws -> ManagedObject? {
        switch operation {
        case .insert(let number, let kind):
            let new = try insertNewObject(forEntityName: kind.rawValue)
            try new.setValue(number, forKey: "number")
            return new
        case .setText(let number, let text): try object(number).setValue(text, forKey: "text")
        case .setRank(let number, let rank): try object(number).setValue(rank, forKey: "rank")
        case .file(let note, let folder, let index):
            let notes: OrderedObjects<ManagedObject> = try object(folder).orderedObjects("notes")
            try notes.insert(object(note), at: index)
        case .arrange(let folder, let notes):
            try object(folder).orderedObjects("notes").replaceAll(with: notes.map(object))
        case .exchange(let folder, let first, let second):
            try object(folder).orderedObjects("notes")
                .exchangeMembers(at: first, and: second)
        case .setFolder(let note, let folder):
            try object(note).setValue(folder.map(object), forKey: "folder")
        case .setTagged(let note, let tag, let isTagged, let fromTag):
            let (owner, member) = try (object(fromTag ? tag : note), object(fromTag ? note : tag))
            let members: ObjectSet<ManagedObject> =
                try owner.objects(fromTag ? "notes" : "tags")
            if isTagged { try members.insert(member) } else { try members.remove(member) }
        case .setCover(let folder, let note):
            try object(folder).setValue(note.map(object), forKey: "cover")
        case .setCovered(let note, let folder):
            try object(note).setValue(object(folder), forKey: "covers")
        case .setParent(let folder, let parent):
            try object(folder).setValue(parent.map(object), forKey: "parent")
        case .addChild(let folder, let parent):
            let children: ObjectSet<ManagedObject> = try object(parent).objects("children")
            try children.insert(object(folder))
        case .setTopic(let note, let topic):
            try object(note).setValue(topic.map(object), forKey: "topic")
        case .delete(let number): try delete(object(number))
        }
        return nil
    }
}
