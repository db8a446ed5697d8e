import Cairn
import CairnTestSupport
import GraphSupport
import Testing

/// Random changes, saves and roll-backs, compared with the oracle of the graph.
@Suite struct `Random changes of a graph` {
    @Test(arguments: everyEngine, [1, 2] as [UInt64])
    func `keep both ends of every relationship consistent`(
        _ type: StoreType, _ seed: UInt64
    ) throws {
        print("random graph: \(type), seed \(seed)")
        let stack = try NoteStore(type)
        let handle = ContextHandle(coordinator: stack.coordinator)
        var oracle = GraphOracle()
        var committed = oracle
        var random = SeededRandom(seed: seed)

        for _ in 0..<40 {
            var next = oracle
            var generator = random
            (next, generator) = try handle.performAndWait { [next, generator] context in
                var (next, generator) = (next, generator)
                for _ in 0..<10 { try next.change(context, using: &generator) }
                try next.check(context)
                return (next, generator)
            }
            (oracle, random) = (next, generator)
            if random.next() % 4 == 0 {
                try handle.performAndWait { $0.rollback() }
                oracle = committed
            } else {
                try handle.performAndWait { try $0.save() }
                committed = oracle
            }
            try handle.performAndWait { [oracle] in try oracle.check($0) }
            try stack.inContext { [oracle] in try oracle.check($0) }
        }
        try stack.reopen()
        if type != "InMemory" { try stack.inContext { [oracle] in try oracle.check($0) } }
    }
}
