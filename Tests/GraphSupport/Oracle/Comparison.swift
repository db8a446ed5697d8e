import Cairn

extension ManagedObjectContext {
    /// Compares everything that the context shows, including both ends of each relationship.
    package func compare(with graph: NaiveGraph) throws {
        let objects = try fetch(FetchRequest<ManagedObject>("Item"))
        var found: Set<Int> = []
        for object in objects {
            let number = try object.number
            guard found.insert(number).inserted else { throw Disagreement("\(number) is twice") }
            guard let node = graph.nodes[number] else {
                throw Disagreement("\(number) is there and should not be")
            }
            try object.compare(number, node, graph)
        }
        let missing = Set(graph.nodes.keys).subtracting(found)
        guard missing.isEmpty else { throw Disagreement("\(missing.sorted()) are missing") }
    }

    /// Compares what fetches find through the topics of notes. The context has no changes.
    package func compareTopics(with graph: NaiveGraph) throws {
        for (format, holds) in [
            ("topic.rank >= 10", { $0.rank >= 10 }), ("topic.rank < 10", { $0.rank < 10 }),
            ("topic.text != nil AND topic.rank != rank + 1000000", { $0.text != nil }),
        ] as [(String, (NaiveGraph.Node) -> Bool)] {
            let found = try numbers(format)
            let wanted = graph.notes { note in
                note.topic.flatMap { graph.nodes[$0] }.map(holds) ?? false
            }
            if found != wanted {
                throw Disagreement("\(format) finds \(found.sorted()), not \(wanted.sorted())")
            }
        }
    }

    /// Returns the numbers of the notes that a fetch finds.
    fileprivate func numbers(_ format: String, _ arguments: any PredicateArgument...) throws -> Set<
        Int
    > {
        var request = FetchRequest<ManagedObject>("Note")
        request.predicate = try FetchPredicate(format: format, arguments: arguments)
        return Set(try fetch(request).map { try $0.number })
    }
}

extension NaiveGraph {
    fileprivate func notes(where holds: (Node) -> Bool) -> Set<Int> {
        Set(nodes.filter { $0.value.kind.isNote && holds($0.value) }.keys)
    }
}

extension ManagedObject {
    fileprivate func compare(_ number: Int, _ node: NaiveGraph.Node, _ graph: NaiveGraph) throws {
        func expect<T: Equatable>(_ found: T, _ wanted: T, _ what: String) throws {
            guard found != wanted else { return }
            throw Disagreement("\(what) of \(number) is \(found), should be \(wanted)")
        }
        try expect(entity.name, node.kind.rawValue, "entity")
        try expect(try value(forKey: "text") as? String, node.text, "text")
        try expect(try value(forKey: "rank") as? Int64, Int64(node.rank), "rank")
        switch node.kind {
        case .folder:
            let notes = try orderedObjects("notes").map { try $0.number }
            try expect(notes, graph.notes(ofFolder: number), "notes")
            try expect(try numbers("children"), graph.children(ofFolder: number), "children")
            try expect(try self.number("parent"), graph.parentOfFolder[number], "parent")
            try expect(try self.number("cover"), graph.coverOfFolder[number], "cover")
        case .note, .memo:
            try expect(try self.number("folder"), graph.folder(ofNote: number), "folder")
            try expect(try self.number("covers"), graph.folder(coveredBy: number), "covers")
            try expect(try numbers("tags"), graph.tags(ofNote: number), "tags")
            try expect(try self.number("topic"), graph.topic(ofNote: number), "topic")
            try expect(
                try isMissing("topic"), node.topic != graph.topic(ofNote: number), "lost topic")
        case .tag:
            try expect(try numbers("notes"), graph.notes(ofTag: number), "notes")
        case .topic:
            let notes = try managedObjectContext?.numbers("topic == %@", self)
            try expect(notes, graph.notes { $0.topic == number }, "notes of the topic")
        }
    }

    private func number(_ relationship: String) throws -> Int? {
        try (value(forKey: relationship) as? ManagedObject)?.number
    }

    private func numbers(_ relationship: String) throws -> Set<Int> {
        let members = try objects(relationship).map { try $0.number }
        guard Set(members).count == members.count else {
            throw Disagreement("\(relationship) has a member twice: \(members)")
        }
        return Set(members)
    }
}
