import Observation
import Testing

@testable import SwiftData

@Suite struct `A tracking probe` {
    @Test func `notices tracking with this version of Observation`() {
        #expect(TrackingProbe.isReliable)
    }

    @Test func `notices nothing before and after tracking`() {
        let probe = TrackingProbe()

        let before = probe.isTracking()
        withObservationTracking {
            #expect(probe.isTracking())
            _ = probe.takeAttempt()
            #expect(probe.isTracking())
            _ = probe.takeAttempt()
        } onChange: {
        }
        let after = probe.isTracking()

        #expect(!before && !after)
    }
}
