import Cairn
import CairnTestSupport
import GraphSupport
import Testing

/// Random changes in a grandchild context, saved level by level and compared with the oracle of the graph.
@Suite struct `Random changes in a line of contexts` {
    @Test(arguments: everyEngine)
    func `arrive unchanged in every parent`(_ type: StoreType) throws {
        let seed = SeededRandom.seed(of: "a line of contexts on \(type)")
        let stack = try NoteStore(type)
        let root = ContextHandle(coordinator: stack.coordinator)
        var (stored, inRoot) = (GraphOracle(), GraphOracle())
        var random = SeededRandom(seed: seed)

        for _ in 0..<25 {
            let child = ContextHandle(parent: root)
            var inChild = inRoot
            for _ in 0..<2 {
                let leaf = ContextHandle(parent: child)
                let (changed, next) = try change(leaf, inChild, random)
                random = next
                try check(leaf, changed, "the grandchild before its save")
                if random.next() % 4 == 0 { continue }
                try leaf.performAndWait { try $0.save() }
                inChild = changed
                try check(leaf, inChild, "the grandchild after its save")
                try check(child, inChild, "the child")
            }
            if random.next() % 4 != 0 {
                try child.performAndWait { try $0.save() }
                inRoot = inChild
            }
            try check(root, inRoot, "the root")
            if random.next() % 2 == 0 {
                try root.performAndWait { try $0.save() }
                stored = inRoot
            }
            try check(ContextHandle(coordinator: stack.coordinator), stored, "the store")
        }
    }

    private func check(_ handle: ContextHandle, _ oracle: GraphOracle, _ location: String) throws {
        do {
            try handle.performAndWait { try oracle.check($0) }
        } catch {
            Issue.record(error, "\(location)")
            throw error
        }
    }

    private func change(
        _ handle: ContextHandle, _ oracle: GraphOracle, _ random: SeededRandom
    ) throws -> (GraphOracle, SeededRandom) {
        try handle.performAndWait { context throws in
            var (oracle, random) = (oracle, random)
            for _ in 0..<8 { try oracle.change(context, using: &random) }
            return (oracle, random)
        }
    }
}
