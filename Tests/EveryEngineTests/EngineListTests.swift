import Cairn
import GraphSupport
import Testing

/// The lists that choose the engines for all other tests. If a list were empty, its tests would not run.
@Suite struct `The lists of engines` {
    @Test func `contain each built-in engine where it belongs`() {
        #expect(everyEngine == [.binary, .inMemory, .lmdb, .sqlite, .xml])
        #expect(everyFileEngine == [.binary, .lmdb, .sqlite, .xml])
        #expect(everyWholeFileEngine == [.binary, .xml])
        #expect(everyRowWritingEngine == [.lmdb, .sqlite])
    }
}
