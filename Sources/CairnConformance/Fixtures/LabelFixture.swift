import CairnModel
import CairnStore

/// A label, and saves that delete the label or let albums refer to it. The relationship has an inverse, so a
/// save that deletes the label and leaves an album breaks a reference.
struct LabelFixture {
    let label: ObjectID

    init(_ subject: StoreSubject) throws { label = try subject.insert("Label", ["name": "x"]) }

    /// Saves an album of the label.
    @discardableResult
    func insertMember(_ subject: StoreSubject) throws -> ObjectID {
        try subject.insert("Album", ["label": .objectID(label)])
    }

    /// Returns a prepared save that inserts an album of the label.
    func preparedInsertion(_ subject: StoreSubject) throws -> any SaveTransaction {
        try prepared(subject) { try $0.insert("Album", ["label": .objectID(label)]) }
    }

    /// Returns a prepared save that deletes the label.
    func preparedDeletion(_ subject: StoreSubject) throws -> any SaveTransaction {
        try prepared(subject) { $0.delete(label) }
    }

    private func prepared(
        _ subject: StoreSubject, _ fill: (inout SaveDraft) throws -> Void
    ) throws -> any SaveTransaction {
        let save = try subject.store.beginSave()
        do {
            var draft = SaveDraft(subject, save)
            try fill(&draft)
            try save.prepare(draft.request)
        } catch {
            save.rollback()
            throw error
        }
        return save
    }

    /// Checks how many albums the label has in a new snapshot, both in its relationship and by their rows.
    ///
    /// - Returns: The albums.
    @discardableResult
    func requireMembers(
        _ count: Int, in subject: StoreSubject, _ time: String
    ) throws -> [ObjectID] {
        let snapshot = try subject.store.snapshot()
        defer { snapshot.end() }
        let members = try subject.members("Label", "albums", of: label, in: snapshot)
        try requireEqual(members.count, count, "the number of members \(time)")
        try requireEqual(
            try snapshot.rows(for: members).count, count, "the members' rows \(time)")
        try require(
            try subject.row(of: label, in: snapshot) != nil, "the owner is there \(time)")
        return members
    }

    /// Deletes the label and its album, which was saved before, and checks what snapshots show during the
    /// save.
    func requireMembersDuringDeletion(_ subject: StoreSubject) throws {
        let save = try subject.store.beginSave()
        defer { save.rollback() }
        let members = try requireMembers(1, in: subject, "before prepare")
        var draft = SaveDraft(subject, save)
        for id in [label] + members { draft.delete(id) }
        try save.prepare(draft.request)
        try requireMembers(1, in: subject, "after prepare")
    }

    /// Deletes the label, one of its albums and a label without albums, takes another album away, and checks
    /// that the prepared save names the album that still refers to the label, or nothing at all.
    func requireMembersOfDeleted(_ subject: StoreSubject) throws {
        let kept = try insertMember(subject)
        let (deleted, moved) = (try insertMember(subject), try insertMember(subject))
        let empty = try subject.insert("Label", ["name": "y"])
        let answer: RelatedIDs?
        do {
            let save = try prepared(subject) { draft in
                for id in [label, empty, deleted] { draft.delete(id) }
                try draft.update("Album", moved)
            }
            defer { save.rollback() }
            let albums = try subject.relationship("Label", "albums")
            answer = try save.members(albums, ofDeleted: [empty, label, label])
        } catch StoreError.referenceConflicts {
            // The engine checks references itself, and is not asked.
            return
        }
        guard let answer else { return }
        try requireEqual(answer.count, 3, "the number of answers")
        let members = (0..<answer.count).map { Array(answer.members[answer.range(ofOwnerAt: $0)]) }
        try requireEqual(members, [[], [kept], [kept]], "the albums of deleted labels")
    }

    /// Checks that the engine refuses saves that break references, and no other saves, although no save of
    /// another transaction overlaps with them.
    func requireReferencesChecked(_ subject: StoreSubject) throws {
        let album = try insertMember(subject)
        try requireEqual(
            try conflicts(subject) { $0.delete(label) },
            [
                ReferenceConflict(
                    .deleted, object: label, entity: "Label", relationship: "albums",
                    members: [album])
            ], "the conflicts of a deletion")
        try requireOrder(subject, album)
        try subject.save { draft in
            draft.delete(label)
            draft.delete(album)
        }
        let missing = try conflicts(subject) {
            try $0.insert("Album", ["label": .objectID(label)])
        }
        try requireEqual(missing.map(\.reason), [.missing], "the conflicts of an insertion")
        try requireEqual(missing.map(\.object), [label], "the object that is missing")
        let person = try subject.insert("Person")
        let oneSided = try conflicts(subject) {
            try $0.insert("Label", ["boss": .objectID(person)])
        }
        try requireEqual(oneSided.map(\.reason), [.oneSided], "the conflicts of one side")
        try requireExemptions(subject)
    }

    /// Checks that row conflicts are reported before reference conflicts, and these before uniqueness
    /// conflicts. The label has a member.
    private func requireOrder(_ subject: StoreSubject, _ album: ObjectID) throws {
        try subject.insert("Track", ["code": "same"])
        try requireError("row conflicts come before reference conflicts", .rowConflicts) {
            try commit(subject) {
                $0.delete(label)
                try $0.update("Album", album, from: 7)
            }
        }
        let conflicts = try conflicts(subject) {
            $0.delete(label)
            try $0.insert("Track", ["code": "same"])
        }
        try requireEqual(
            conflicts.map(\.object), [label], "the conflicts before uniqueness conflicts")
    }

    /// Checks that the delete rule noAction, and references that the save does not change, are exempt.
    private func requireExemptions(_ subject: StoreSubject) throws {
        let tag = try subject.insert("Tag")
        let track = try subject.insert("Track", ["coverOf": .objectID(tag)])
        try commit(subject) { $0.delete(tag) }
        try commit(subject) { try $0.touch("Track", track, from: 1, ["coverOf": .objectID(tag)]) }
        try requireEqual(
            try subject.value("coverOf", of: track), .objectID(tag), "the reference that stays")
    }

    private func commit(
        _ subject: StoreSubject, _ fill: (inout SaveDraft) throws -> Void
    ) throws {
        let save = try prepared(subject, fill)
        defer { save.rollback() }
        _ = try save.commit()
    }

    private func conflicts(
        _ subject: StoreSubject, _ fill: (inout SaveDraft) throws -> Void
    ) throws -> [ReferenceConflict] {
        do {
            try commit(subject, fill)
        } catch StoreError.referenceConflicts(let conflicts) {
            return conflicts
        }
        throw RuleViolation(detail: "a save that breaks a reference is refused")
    }
}
