import { Limiter } from "../../provider/src/service/limiter";
import { SimulatedTime } from "../support/simulated-time";

