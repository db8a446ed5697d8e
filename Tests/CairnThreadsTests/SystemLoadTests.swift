import Testing

@testable import CairnThreads

@Suite struct `Load of the system` {
    @Test(arguments: [
        ("0.20 0.18 0.12 1/80 11206\n", 1), ("12.00 9.18 7.12 37/1480 11206\n", 37),
    ])
    func `is the number of running threads`(_ text: String, _ count: Int) {
        #expect(SystemLoad.runningThreadCount(in: text) == count)
    }

    @Test(arguments: ["", "\n", "0.20 0.18 0.12", "0.20 0.18 0.12 x/80 1", "0.2 0.1 0.1 0/0 0"])
    func `is unknown if the text has another form`(_ text: String) {
        #expect(SystemLoad.runningThreadCount(in: text) == nil)
    }

    @Test func `can be read from the system`() {
        // The test cannot know whether a processor is idle now.
        for _ in 0..<100 { _ = SystemLoad.hasIdleProcessor }
    }
}
