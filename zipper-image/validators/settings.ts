// @ts-nocheck
// Generated from the schemas by Ajv. Run `node scripts/compile-validators.ts` after you change one.
import ucs2length from 'ajv/dist/runtime/ucs2length.js';
const func2 = ucs2length.default;

export const validateVariables = validate10;
const schema11 = {"$id":"validateVariables","type":"object","required":["logLevel","taskFile","bucketDir","sourcesDir","filesDir","serviceAccountDir","podUid","traceparent","apiServerHost","apiServerPort","egressAllowCidrs","egressDenyCidrs","egressClusterCidrs","egressServiceCidrs","egressApiServerAddresses","egressNat64Prefix","sourceProxyUrl","sourceNoProxy","sourceProxyUsername","sourceProxyPassword","storeProxyUrl","storeNoProxy","storeProxyUsername","storeProxyPassword","storeAllowedHosts","storeAllowHttp","storeAllowCidrs","storeTokenAudiences","storeStsHosts","trustBundle"],"properties":{"logLevel":{"type":"string","enum":["trace","debug","info","warn","error","fatal","silent"]},"taskFile":{"type":"string"},"bucketDir":{"type":"string"},"sourcesDir":{"type":"string"},"filesDir":{"type":"string"},"serviceAccountDir":{"type":"string"},"podUid":{"type":"string","minLength":1},"traceparent":{"type":"string"},"apiServerHost":{"type":"string"},"apiServerPort":{"type":"integer","minimum":1,"maximum":65535},"egressAllowCidrs":{"type":"array","items":{"type":"string","minLength":1}},"egressDenyCidrs":{"type":"array","items":{"type":"string","minLength":1}},"egressClusterCidrs":{"type":"array","items":{"type":"string","minLength":1}},"egressServiceCidrs":{"type":"array","items":{"type":"string","minLength":1}},"egressApiServerAddresses":{"type":"array","items":{"type":"string","minLength":1}},"egressNat64Prefix":{"type":"string"},"sourceProxyUrl":{"type":"string","pattern":"^(https?://[A-Za-z0-9.:[\\]_-]+/?)?$"},"sourceNoProxy":{"type":"array","items":{"type":"string","minLength":1}},"sourceProxyUsername":{"type":"string"},"sourceProxyPassword":{"type":"string"},"storeProxyUrl":{"type":"string","pattern":"^(https?://[A-Za-z0-9.:[\\]_-]+/?)?$"},"storeNoProxy":{"type":"array","items":{"type":"string","minLength":1}},"storeProxyUsername":{"type":"string"},"storeProxyPassword":{"type":"string"},"storeAllowedHosts":{"type":"array","items":{"type":"string","minLength":1}},"storeAllowHttp":{"type":"boolean"},"storeAllowCidrs":{"type":"array","items":{"type":"string","minLength":1}},"storeTokenAudiences":{"type":"array","items":{"type":"string","minLength":1}},"storeStsHosts":{"type":"array","items":{"type":"string","minLength":1}},"trustBundle":{"type":"string"}}};

const pattern0 = new RegExp("^(https?://[A-Za-z0-9.:[\\]_-]+/?)?$", "u");

function validate10(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="validateVariables" */;
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.logLevel === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "logLevel"},message:"must have required property '"+"logLevel"+"'"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(data.taskFile === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "taskFile"},message:"must have required property '"+"taskFile"+"'"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
if(data.bucketDir === undefined){
const err2 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "bucketDir"},message:"must have required property '"+"bucketDir"+"'"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(data.sourcesDir === undefined){
const err3 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "sourcesDir"},message:"must have required property '"+"sourcesDir"+"'"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
if(data.filesDir === undefined){
const err4 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "filesDir"},message:"must have required property '"+"filesDir"+"'"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
if(data.serviceAccountDir === undefined){
const err5 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "serviceAccountDir"},message:"must have required property '"+"serviceAccountDir"+"'"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
if(data.podUid === undefined){
const err6 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "podUid"},message:"must have required property '"+"podUid"+"'"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
if(data.traceparent === undefined){
const err7 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "traceparent"},message:"must have required property '"+"traceparent"+"'"};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
if(data.apiServerHost === undefined){
const err8 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "apiServerHost"},message:"must have required property '"+"apiServerHost"+"'"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
if(data.apiServerPort === undefined){
const err9 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "apiServerPort"},message:"must have required property '"+"apiServerPort"+"'"};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
if(data.egressAllowCidrs === undefined){
const err10 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "egressAllowCidrs"},message:"must have required property '"+"egressAllowCidrs"+"'"};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
if(data.egressDenyCidrs === undefined){
const err11 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "egressDenyCidrs"},message:"must have required property '"+"egressDenyCidrs"+"'"};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
if(data.egressClusterCidrs === undefined){
const err12 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "egressClusterCidrs"},message:"must have required property '"+"egressClusterCidrs"+"'"};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
if(data.egressServiceCidrs === undefined){
const err13 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "egressServiceCidrs"},message:"must have required property '"+"egressServiceCidrs"+"'"};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
if(data.egressApiServerAddresses === undefined){
const err14 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "egressApiServerAddresses"},message:"must have required property '"+"egressApiServerAddresses"+"'"};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
if(data.egressNat64Prefix === undefined){
const err15 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "egressNat64Prefix"},message:"must have required property '"+"egressNat64Prefix"+"'"};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
if(data.sourceProxyUrl === undefined){
const err16 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "sourceProxyUrl"},message:"must have required property '"+"sourceProxyUrl"+"'"};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
if(data.sourceNoProxy === undefined){
const err17 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "sourceNoProxy"},message:"must have required property '"+"sourceNoProxy"+"'"};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
if(data.sourceProxyUsername === undefined){
const err18 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "sourceProxyUsername"},message:"must have required property '"+"sourceProxyUsername"+"'"};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
if(data.sourceProxyPassword === undefined){
const err19 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "sourceProxyPassword"},message:"must have required property '"+"sourceProxyPassword"+"'"};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
if(data.storeProxyUrl === undefined){
const err20 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "storeProxyUrl"},message:"must have required property '"+"storeProxyUrl"+"'"};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
if(data.storeNoProxy === undefined){
const err21 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "storeNoProxy"},message:"must have required property '"+"storeNoProxy"+"'"};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
if(data.storeProxyUsername === undefined){
const err22 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "storeProxyUsername"},message:"must have required property '"+"storeProxyUsername"+"'"};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
if(data.storeProxyPassword === undefined){
const err23 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "storeProxyPassword"},message:"must have required property '"+"storeProxyPassword"+"'"};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
if(data.storeAllowedHosts === undefined){
const err24 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "storeAllowedHosts"},message:"must have required property '"+"storeAllowedHosts"+"'"};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
}
errors++;
}
if(data.storeAllowHttp === undefined){
const err25 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "storeAllowHttp"},message:"must have required property '"+"storeAllowHttp"+"'"};
if(vErrors === null){
vErrors = [err25];
}
else {
vErrors.push(err25);
}
errors++;
}
if(data.storeAllowCidrs === undefined){
const err26 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "storeAllowCidrs"},message:"must have required property '"+"storeAllowCidrs"+"'"};
if(vErrors === null){
vErrors = [err26];
}
else {
vErrors.push(err26);
}
errors++;
}
if(data.storeTokenAudiences === undefined){
const err27 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "storeTokenAudiences"},message:"must have required property '"+"storeTokenAudiences"+"'"};
if(vErrors === null){
vErrors = [err27];
}
else {
vErrors.push(err27);
}
errors++;
}
if(data.storeStsHosts === undefined){
const err28 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "storeStsHosts"},message:"must have required property '"+"storeStsHosts"+"'"};
if(vErrors === null){
vErrors = [err28];
}
else {
vErrors.push(err28);
}
errors++;
}
if(data.trustBundle === undefined){
const err29 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "trustBundle"},message:"must have required property '"+"trustBundle"+"'"};
if(vErrors === null){
vErrors = [err29];
}
else {
vErrors.push(err29);
}
errors++;
}
if(data.logLevel !== undefined){
let data0 = data.logLevel;
if(typeof data0 !== "string"){
const err30 = {instancePath:instancePath+"/logLevel",schemaPath:"#/properties/logLevel/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err30];
}
else {
vErrors.push(err30);
}
errors++;
}
if(!(((((((data0 === "trace") || (data0 === "debug")) || (data0 === "info")) || (data0 === "warn")) || (data0 === "error")) || (data0 === "fatal")) || (data0 === "silent"))){
const err31 = {instancePath:instancePath+"/logLevel",schemaPath:"#/properties/logLevel/enum",keyword:"enum",params:{allowedValues: schema11.properties.logLevel.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err31];
}
else {
vErrors.push(err31);
}
errors++;
}
}
if(data.taskFile !== undefined){
if(typeof data.taskFile !== "string"){
const err32 = {instancePath:instancePath+"/taskFile",schemaPath:"#/properties/taskFile/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err32];
}
else {
vErrors.push(err32);
}
errors++;
}
}
if(data.bucketDir !== undefined){
if(typeof data.bucketDir !== "string"){
const err33 = {instancePath:instancePath+"/bucketDir",schemaPath:"#/properties/bucketDir/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err33];
}
else {
vErrors.push(err33);
}
errors++;
}
}
if(data.sourcesDir !== undefined){
if(typeof data.sourcesDir !== "string"){
const err34 = {instancePath:instancePath+"/sourcesDir",schemaPath:"#/properties/sourcesDir/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err34];
}
else {
vErrors.push(err34);
}
errors++;
}
}
if(data.filesDir !== undefined){
if(typeof data.filesDir !== "string"){
const err35 = {instancePath:instancePath+"/filesDir",schemaPath:"#/properties/filesDir/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err35];
}
else {
vErrors.push(err35);
}
errors++;
}
}
if(data.serviceAccountDir !== undefined){
if(typeof data.serviceAccountDir !== "string"){
const err36 = {instancePath:instancePath+"/serviceAccountDir",schemaPath:"#/properties/serviceAccountDir/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err36];
}
else {
vErrors.push(err36);
}
errors++;
}
}
if(data.podUid !== undefined){
let data6 = data.podUid;
if(typeof data6 === "string"){
if(func2(data6) < 1){
const err37 = {instancePath:instancePath+"/podUid",schemaPath:"#/properties/podUid/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err37];
}
else {
vErrors.push(err37);
}
errors++;
}
}
else {
const err38 = {instancePath:instancePath+"/podUid",schemaPath:"#/properties/podUid/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err38];
}
else {
vErrors.push(err38);
}
errors++;
}
}
if(data.traceparent !== undefined){
if(typeof data.traceparent !== "string"){
const err39 = {instancePath:instancePath+"/traceparent",schemaPath:"#/properties/traceparent/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err39];
}
else {
vErrors.push(err39);
}
errors++;
}
}
if(data.apiServerHost !== undefined){
if(typeof data.apiServerHost !== "string"){
const err40 = {instancePath:instancePath+"/apiServerHost",schemaPath:"#/properties/apiServerHost/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err40];
}
else {
vErrors.push(err40);
}
errors++;
}
}
if(data.apiServerPort !== undefined){
let data9 = data.apiServerPort;
if(!(((typeof data9 == "number") && (!(data9 % 1) && !isNaN(data9))) && (isFinite(data9)))){
const err41 = {instancePath:instancePath+"/apiServerPort",schemaPath:"#/properties/apiServerPort/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err41];
}
else {
vErrors.push(err41);
}
errors++;
}
if((typeof data9 == "number") && (isFinite(data9))){
if(data9 > 65535 || isNaN(data9)){
const err42 = {instancePath:instancePath+"/apiServerPort",schemaPath:"#/properties/apiServerPort/maximum",keyword:"maximum",params:{comparison: "<=", limit: 65535},message:"must be <= 65535"};
if(vErrors === null){
vErrors = [err42];
}
else {
vErrors.push(err42);
}
errors++;
}
if(data9 < 1 || isNaN(data9)){
const err43 = {instancePath:instancePath+"/apiServerPort",schemaPath:"#/properties/apiServerPort/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err43];
}
else {
vErrors.push(err43);
}
errors++;
}
}
}
if(data.egressAllowCidrs !== undefined){
let data10 = data.egressAllowCidrs;
if(Array.isArray(data10)){
const len0 = data10.length;
for(let i0=0; i0<len0; i0++){
let data11 = data10[i0];
if(typeof data11 === "string"){
if(func2(data11) < 1){
const err44 = {instancePath:instancePath+"/egressAllowCidrs/" + i0,schemaPath:"#/properties/egressAllowCidrs/items/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err44];
}
else {
vErrors.push(err44);
}
errors++;
}
}
else {
const err45 = {instancePath:instancePath+"/egressAllowCidrs/" + i0,schemaPath:"#/properties/egressAllowCidrs/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err45];
}
else {
vErrors.push(err45);
}
errors++;
}
}
}
else {
const err46 = {instancePath:instancePath+"/egressAllowCidrs",schemaPath:"#/properties/egressAllowCidrs/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err46];
}
else {
vErrors.push(err46);
}
errors++;
}
}
if(data.egressDenyCidrs !== undefined){
let data12 = data.egressDenyCidrs;
if(Array.isArray(data12)){
const len1 = data12.length;
for(let i1=0; i1<len1; i1++){
let data13 = data12[i1];
if(typeof data13 === "string"){
if(func2(data13) < 1){
const err47 = {instancePath:instancePath+"/egressDenyCidrs/" + i1,schemaPath:"#/properties/egressDenyCidrs/items/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err47];
}
else {
vErrors.push(err47);
}
errors++;
}
}
else {
const err48 = {instancePath:instancePath+"/egressDenyCidrs/" + i1,schemaPath:"#/properties/egressDenyCidrs/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err48];
}
else {
vErrors.push(err48);
}
errors++;
}
}
}
else {
const err49 = {instancePath:instancePath+"/egressDenyCidrs",schemaPath:"#/properties/egressDenyCidrs/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err49];
}
else {
vErrors.push(err49);
}
errors++;
}
}
if(data.egressClusterCidrs !== undefined){
let data14 = data.egressClusterCidrs;
if(Array.isArray(data14)){
const len2 = data14.length;
for(let i2=0; i2<len2; i2++){
let data15 = data14[i2];
if(typeof data15 === "string"){
if(func2(data15) < 1){
const err50 = {instancePath:instancePath+"/egressClusterCidrs/" + i2,schemaPath:"#/properties/egressClusterCidrs/items/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err50];
}
else {
vErrors.push(err50);
}
errors++;
}
}
else {
const err51 = {instancePath:instancePath+"/egressClusterCidrs/" + i2,schemaPath:"#/properties/egressClusterCidrs/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err51];
}
else {
vErrors.push(err51);
}
errors++;
}
}
}
else {
const err52 = {instancePath:instancePath+"/egressClusterCidrs",schemaPath:"#/properties/egressClusterCidrs/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err52];
}
else {
vErrors.push(err52);
}
errors++;
}
}
if(data.egressServiceCidrs !== undefined){
let data16 = data.egressServiceCidrs;
if(Array.isArray(data16)){
const len3 = data16.length;
for(let i3=0; i3<len3; i3++){
let data17 = data16[i3];
if(typeof data17 === "string"){
if(func2(data17) < 1){
const err53 = {instancePath:instancePath+"/egressServiceCidrs/" + i3,schemaPath:"#/properties/egressServiceCidrs/items/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err53];
}
else {
vErrors.push(err53);
}
errors++;
}
}
else {
const err54 = {instancePath:instancePath+"/egressServiceCidrs/" + i3,schemaPath:"#/properties/egressServiceCidrs/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err54];
}
else {
vErrors.push(err54);
}
errors++;
}
}
}
else {
const err55 = {instancePath:instancePath+"/egressServiceCidrs",schemaPath:"#/properties/egressServiceCidrs/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err55];
}
else {
vErrors.push(err55);
}
errors++;
}
}
if(data.egressApiServerAddresses !== undefined){
let data18 = data.egressApiServerAddresses;
if(Array.isArray(data18)){
const len4 = data18.length;
for(let i4=0; i4<len4; i4++){
let data19 = data18[i4];
if(typeof data19 === "string"){
if(func2(data19) < 1){
const err56 = {instancePath:instancePath+"/egressApiServerAddresses/" + i4,schemaPath:"#/properties/egressApiServerAddresses/items/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err56];
}
else {
vErrors.push(err56);
}
errors++;
}
}
else {
const err57 = {instancePath:instancePath+"/egressApiServerAddresses/" + i4,schemaPath:"#/properties/egressApiServerAddresses/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err57];
}
else {
vErrors.push(err57);
}
errors++;
}
}
}
else {
const err58 = {instancePath:instancePath+"/egressApiServerAddresses",schemaPath:"#/properties/egressApiServerAddresses/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err58];
}
else {
vErrors.push(err58);
}
errors++;
}
}
if(data.egressNat64Prefix !== undefined){
if(typeof data.egressNat64Prefix !== "string"){
const err59 = {instancePath:instancePath+"/egressNat64Prefix",schemaPath:"#/properties/egressNat64Prefix/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err59];
}
else {
vErrors.push(err59);
}
errors++;
}
}
if(data.sourceProxyUrl !== undefined){
let data21 = data.sourceProxyUrl;
if(typeof data21 === "string"){
if(!pattern0.test(data21)){
const err60 = {instancePath:instancePath+"/sourceProxyUrl",schemaPath:"#/properties/sourceProxyUrl/pattern",keyword:"pattern",params:{pattern: "^(https?://[A-Za-z0-9.:[\\]_-]+/?)?$"},message:"must match pattern \""+"^(https?://[A-Za-z0-9.:[\\]_-]+/?)?$"+"\""};
if(vErrors === null){
vErrors = [err60];
}
else {
vErrors.push(err60);
}
errors++;
}
}
else {
const err61 = {instancePath:instancePath+"/sourceProxyUrl",schemaPath:"#/properties/sourceProxyUrl/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err61];
}
else {
vErrors.push(err61);
}
errors++;
}
}
if(data.sourceNoProxy !== undefined){
let data22 = data.sourceNoProxy;
if(Array.isArray(data22)){
const len5 = data22.length;
for(let i5=0; i5<len5; i5++){
let data23 = data22[i5];
if(typeof data23 === "string"){
if(func2(data23) < 1){
const err62 = {instancePath:instancePath+"/sourceNoProxy/" + i5,schemaPath:"#/properties/sourceNoProxy/items/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err62];
}
else {
vErrors.push(err62);
}
errors++;
}
}
else {
const err63 = {instancePath:instancePath+"/sourceNoProxy/" + i5,schemaPath:"#/properties/sourceNoProxy/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err63];
}
else {
vErrors.push(err63);
}
errors++;
}
}
}
else {
const err64 = {instancePath:instancePath+"/sourceNoProxy",schemaPath:"#/properties/sourceNoProxy/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err64];
}
else {
vErrors.push(err64);
}
errors++;
}
}
if(data.sourceProxyUsername !== undefined){
if(typeof data.sourceProxyUsername !== "string"){
const err65 = {instancePath:instancePath+"/sourceProxyUsername",schemaPath:"#/properties/sourceProxyUsername/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err65];
}
else {
vErrors.push(err65);
}
errors++;
}
}
if(data.sourceProxyPassword !== undefined){
if(typeof data.sourceProxyPassword !== "string"){
const err66 = {instancePath:instancePath+"/sourceProxyPassword",schemaPath:"#/properties/sourceProxyPassword/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err66];
}
else {
vErrors.push(err66);
}
errors++;
}
}
if(data.storeProxyUrl !== undefined){
let data26 = data.storeProxyUrl;
if(typeof data26 === "string"){
if(!pattern0.test(data26)){
const err67 = {instancePath:instancePath+"/storeProxyUrl",schemaPath:"#/properties/storeProxyUrl/pattern",keyword:"pattern",params:{pattern: "^(https?://[A-Za-z0-9.:[\\]_-]+/?)?$"},message:"must match pattern \""+"^(https?://[A-Za-z0-9.:[\\]_-]+/?)?$"+"\""};
if(vErrors === null){
vErrors = [err67];
}
else {
vErrors.push(err67);
}
errors++;
}
}
else {
const err68 = {instancePath:instancePath+"/storeProxyUrl",schemaPath:"#/properties/storeProxyUrl/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err68];
}
else {
vErrors.push(err68);
}
errors++;
}
}
if(data.storeNoProxy !== undefined){
let data27 = data.storeNoProxy;
if(Array.isArray(data27)){
const len6 = data27.length;
for(let i6=0; i6<len6; i6++){
let data28 = data27[i6];
if(typeof data28 === "string"){
if(func2(data28) < 1){
const err69 = {instancePath:instancePath+"/storeNoProxy/" + i6,schemaPath:"#/properties/storeNoProxy/items/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err69];
}
else {
vErrors.push(err69);
}
errors++;
}
}
else {
const err70 = {instancePath:instancePath+"/storeNoProxy/" + i6,schemaPath:"#/properties/storeNoProxy/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err70];
}
else {
vErrors.push(err70);
}
errors++;
}
}
}
else {
const err71 = {instancePath:instancePath+"/storeNoProxy",schemaPath:"#/properties/storeNoProxy/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err71];
}
else {
vErrors.push(err71);
}
errors++;
}
}
if(data.storeProxyUsername !== undefined){
if(typeof data.storeProxyUsername !== "string"){
const err72 = {instancePath:instancePath+"/storeProxyUsername",schemaPath:"#/properties/storeProxyUsername/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err72];
}
else {
vErrors.push(err72);
}
errors++;
}
}
if(data.storeProxyPassword !== undefined){
if(typeof data.storeProxyPassword !== "string"){
const err73 = {instancePath:instancePath+"/storeProxyPassword",schemaPath:"#/properties/storeProxyPassword/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err73];
}
else {
vErrors.push(err73);
}
errors++;
}
}
if(data.storeAllowedHosts !== undefined){
let data31 = data.storeAllowedHosts;
if(Array.isArray(data31)){
const len7 = data31.length;
for(let i7=0; i7<len7; i7++){
let data32 = data31[i7];
if(typeof data32 === "string"){
if(func2(data32) < 1){
const err74 = {instancePath:instancePath+"/storeAllowedHosts/" + i7,schemaPath:"#/properties/storeAllowedHosts/items/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err74];
}
else {
vErrors.push(err74);
}
errors++;
}
}
else {
const err75 = {instancePath:instancePath+"/storeAllowedHosts/" + i7,schemaPath:"#/properties/storeAllowedHosts/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err75];
}
else {
vErrors.push(err75);
}
errors++;
}
}
}
else {
const err76 = {instancePath:instancePath+"/storeAllowedHosts",schemaPath:"#/properties/storeAllowedHosts/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err76];
}
else {
vErrors.push(err76);
}
errors++;
}
}
if(data.storeAllowHttp !== undefined){
if(typeof data.storeAllowHttp !== "boolean"){
const err77 = {instancePath:instancePath+"/storeAllowHttp",schemaPath:"#/properties/storeAllowHttp/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err77];
}
else {
vErrors.push(err77);
}
errors++;
}
}
if(data.storeAllowCidrs !== undefined){
let data34 = data.storeAllowCidrs;
if(Array.isArray(data34)){
const len8 = data34.length;
for(let i8=0; i8<len8; i8++){
let data35 = data34[i8];
if(typeof data35 === "string"){
if(func2(data35) < 1){
const err78 = {instancePath:instancePath+"/storeAllowCidrs/" + i8,schemaPath:"#/properties/storeAllowCidrs/items/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err78];
}
else {
vErrors.push(err78);
}
errors++;
}
}
else {
const err79 = {instancePath:instancePath+"/storeAllowCidrs/" + i8,schemaPath:"#/properties/storeAllowCidrs/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err79];
}
else {
vErrors.push(err79);
}
errors++;
}
}
}
else {
const err80 = {instancePath:instancePath+"/storeAllowCidrs",schemaPath:"#/properties/storeAllowCidrs/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err80];
}
else {
vErrors.push(err80);
}
errors++;
}
}
if(data.storeTokenAudiences !== undefined){
let data36 = data.storeTokenAudiences;
if(Array.isArray(data36)){
const len9 = data36.length;
for(let i9=0; i9<len9; i9++){
let data37 = data36[i9];
if(typeof data37 === "string"){
if(func2(data37) < 1){
const err81 = {instancePath:instancePath+"/storeTokenAudiences/" + i9,schemaPath:"#/properties/storeTokenAudiences/items/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err81];
}
else {
vErrors.push(err81);
}
errors++;
}
}
else {
const err82 = {instancePath:instancePath+"/storeTokenAudiences/" + i9,schemaPath:"#/properties/storeTokenAudiences/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err82];
}
else {
vErrors.push(err82);
}
errors++;
}
}
}
else {
const err83 = {instancePath:instancePath+"/storeTokenAudiences",schemaPath:"#/properties/storeTokenAudiences/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err83];
}
else {
vErrors.push(err83);
}
errors++;
}
}
if(data.storeStsHosts !== undefined){
let data38 = data.storeStsHosts;
if(Array.isArray(data38)){
const len10 = data38.length;
for(let i10=0; i10<len10; i10++){
let data39 = data38[i10];
if(typeof data39 === "string"){
if(func2(data39) < 1){
const err84 = {instancePath:instancePath+"/storeStsHosts/" + i10,schemaPath:"#/properties/storeStsHosts/items/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err84];
}
else {
vErrors.push(err84);
}
errors++;
}
}
else {
const err85 = {instancePath:instancePath+"/storeStsHosts/" + i10,schemaPath:"#/properties/storeStsHosts/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err85];
}
else {
vErrors.push(err85);
}
errors++;
}
}
}
else {
const err86 = {instancePath:instancePath+"/storeStsHosts",schemaPath:"#/properties/storeStsHosts/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err86];
}
else {
vErrors.push(err86);
}
errors++;
}
}
if(data.trustBundle !== undefined){
if(typeof data.trustBundle !== "string"){
const err87 = {instancePath:instancePath+"/trustBundle",schemaPath:"#/properties/trustBundle/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err87];
}
else {
vErrors.push(err87);
}
errors++;
}
}
}
else {
const err88 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err88];
}
else {
vErrors.push(err88);
}
errors++;
}
validate10.errors = vErrors;
return errors === 0;
}

export const validateSettings = validate11;
const schema12 = {"$id":"validateSettings","type":"object","required":["storeBufferBytes","storeRetryLimitMs","storeConsistencyMs","sourceConcurrency","sourceBufferBytes","sourceRetryLimitMs","sourceUnknownLengthZip64","sourceRefuseUnverified","sourceSequential","sourceCheckLimitMs"],"properties":{"storeBufferBytes":{"type":"integer","minimum":16777216,"maximum":1073741824},"storeRetryLimitMs":{"type":"integer","minimum":0,"maximum":2147483647},"storeConsistencyMs":{"type":"integer","minimum":0,"maximum":30000},"sourceConcurrency":{"type":"integer","minimum":1,"maximum":256},"sourceBufferBytes":{"type":"integer","minimum":4194304},"sourceRetryLimitMs":{"type":"integer","minimum":0,"maximum":2147483647},"sourceUnknownLengthZip64":{"type":"boolean"},"sourceRefuseUnverified":{"type":"boolean"},"sourceSequential":{"type":"boolean"},"sourceCheckLimitMs":{"type":"integer","minimum":0,"maximum":60000}},"additionalProperties":{"type":"integer","minimum":0}};
const func14 = Object.prototype.hasOwnProperty;

function validate11(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="validateSettings" */;
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.storeBufferBytes === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "storeBufferBytes"},message:"must have required property '"+"storeBufferBytes"+"'"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(data.storeRetryLimitMs === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "storeRetryLimitMs"},message:"must have required property '"+"storeRetryLimitMs"+"'"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
if(data.storeConsistencyMs === undefined){
const err2 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "storeConsistencyMs"},message:"must have required property '"+"storeConsistencyMs"+"'"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(data.sourceConcurrency === undefined){
const err3 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "sourceConcurrency"},message:"must have required property '"+"sourceConcurrency"+"'"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
if(data.sourceBufferBytes === undefined){
const err4 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "sourceBufferBytes"},message:"must have required property '"+"sourceBufferBytes"+"'"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
if(data.sourceRetryLimitMs === undefined){
const err5 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "sourceRetryLimitMs"},message:"must have required property '"+"sourceRetryLimitMs"+"'"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
if(data.sourceUnknownLengthZip64 === undefined){
const err6 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "sourceUnknownLengthZip64"},message:"must have required property '"+"sourceUnknownLengthZip64"+"'"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
if(data.sourceRefuseUnverified === undefined){
const err7 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "sourceRefuseUnverified"},message:"must have required property '"+"sourceRefuseUnverified"+"'"};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
if(data.sourceSequential === undefined){
const err8 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "sourceSequential"},message:"must have required property '"+"sourceSequential"+"'"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
if(data.sourceCheckLimitMs === undefined){
const err9 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "sourceCheckLimitMs"},message:"must have required property '"+"sourceCheckLimitMs"+"'"};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
for(const key0 in data){
if(!(func14.call(schema12.properties, key0))){
let data0 = data[key0];
if(!(((typeof data0 == "number") && (!(data0 % 1) && !isNaN(data0))) && (isFinite(data0)))){
const err10 = {instancePath:instancePath+"/" + key0.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/additionalProperties/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
if((typeof data0 == "number") && (isFinite(data0))){
if(data0 < 0 || isNaN(data0)){
const err11 = {instancePath:instancePath+"/" + key0.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/additionalProperties/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
}
}
}
if(data.storeBufferBytes !== undefined){
let data1 = data.storeBufferBytes;
if(!(((typeof data1 == "number") && (!(data1 % 1) && !isNaN(data1))) && (isFinite(data1)))){
const err12 = {instancePath:instancePath+"/storeBufferBytes",schemaPath:"#/properties/storeBufferBytes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
if((typeof data1 == "number") && (isFinite(data1))){
if(data1 > 1073741824 || isNaN(data1)){
const err13 = {instancePath:instancePath+"/storeBufferBytes",schemaPath:"#/properties/storeBufferBytes/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1073741824},message:"must be <= 1073741824"};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
if(data1 < 16777216 || isNaN(data1)){
const err14 = {instancePath:instancePath+"/storeBufferBytes",schemaPath:"#/properties/storeBufferBytes/minimum",keyword:"minimum",params:{comparison: ">=", limit: 16777216},message:"must be >= 16777216"};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
}
}
if(data.storeRetryLimitMs !== undefined){
let data2 = data.storeRetryLimitMs;
if(!(((typeof data2 == "number") && (!(data2 % 1) && !isNaN(data2))) && (isFinite(data2)))){
const err15 = {instancePath:instancePath+"/storeRetryLimitMs",schemaPath:"#/properties/storeRetryLimitMs/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
if((typeof data2 == "number") && (isFinite(data2))){
if(data2 > 2147483647 || isNaN(data2)){
const err16 = {instancePath:instancePath+"/storeRetryLimitMs",schemaPath:"#/properties/storeRetryLimitMs/maximum",keyword:"maximum",params:{comparison: "<=", limit: 2147483647},message:"must be <= 2147483647"};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
if(data2 < 0 || isNaN(data2)){
const err17 = {instancePath:instancePath+"/storeRetryLimitMs",schemaPath:"#/properties/storeRetryLimitMs/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
}
}
if(data.storeConsistencyMs !== undefined){
let data3 = data.storeConsistencyMs;
if(!(((typeof data3 == "number") && (!(data3 % 1) && !isNaN(data3))) && (isFinite(data3)))){
const err18 = {instancePath:instancePath+"/storeConsistencyMs",schemaPath:"#/properties/storeConsistencyMs/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
if((typeof data3 == "number") && (isFinite(data3))){
if(data3 > 30000 || isNaN(data3)){
const err19 = {instancePath:instancePath+"/storeConsistencyMs",schemaPath:"#/properties/storeConsistencyMs/maximum",keyword:"maximum",params:{comparison: "<=", limit: 30000},message:"must be <= 30000"};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
if(data3 < 0 || isNaN(data3)){
const err20 = {instancePath:instancePath+"/storeConsistencyMs",schemaPath:"#/properties/storeConsistencyMs/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
}
}
if(data.sourceConcurrency !== undefined){
let data4 = data.sourceConcurrency;
if(!(((typeof data4 == "number") && (!(data4 % 1) && !isNaN(data4))) && (isFinite(data4)))){
const err21 = {instancePath:instancePath+"/sourceConcurrency",schemaPath:"#/properties/sourceConcurrency/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
if((typeof data4 == "number") && (isFinite(data4))){
if(data4 > 256 || isNaN(data4)){
const err22 = {instancePath:instancePath+"/sourceConcurrency",schemaPath:"#/properties/sourceConcurrency/maximum",keyword:"maximum",params:{comparison: "<=", limit: 256},message:"must be <= 256"};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
if(data4 < 1 || isNaN(data4)){
const err23 = {instancePath:instancePath+"/sourceConcurrency",schemaPath:"#/properties/sourceConcurrency/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
}
}
if(data.sourceBufferBytes !== undefined){
let data5 = data.sourceBufferBytes;
if(!(((typeof data5 == "number") && (!(data5 % 1) && !isNaN(data5))) && (isFinite(data5)))){
const err24 = {instancePath:instancePath+"/sourceBufferBytes",schemaPath:"#/properties/sourceBufferBytes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
}
errors++;
}
if((typeof data5 == "number") && (isFinite(data5))){
if(data5 < 4194304 || isNaN(data5)){
const err25 = {instancePath:instancePath+"/sourceBufferBytes",schemaPath:"#/properties/sourceBufferBytes/minimum",keyword:"minimum",params:{comparison: ">=", limit: 4194304},message:"must be >= 4194304"};
if(vErrors === null){
vErrors = [err25];
}
else {
vErrors.push(err25);
}
errors++;
}
}
}
if(data.sourceRetryLimitMs !== undefined){
let data6 = data.sourceRetryLimitMs;
if(!(((typeof data6 == "number") && (!(data6 % 1) && !isNaN(data6))) && (isFinite(data6)))){
const err26 = {instancePath:instancePath+"/sourceRetryLimitMs",schemaPath:"#/properties/sourceRetryLimitMs/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err26];
}
else {
vErrors.push(err26);
}
errors++;
}
if((typeof data6 == "number") && (isFinite(data6))){
if(data6 > 2147483647 || isNaN(data6)){
const err27 = {instancePath:instancePath+"/sourceRetryLimitMs",schemaPath:"#/properties/sourceRetryLimitMs/maximum",keyword:"maximum",params:{comparison: "<=", limit: 2147483647},message:"must be <= 2147483647"};
if(vErrors === null){
vErrors = [err27];
}
else {
vErrors.push(err27);
}
errors++;
}
if(data6 < 0 || isNaN(data6)){
const err28 = {instancePath:instancePath+"/sourceRetryLimitMs",schemaPath:"#/properties/sourceRetryLimitMs/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err28];
}
else {
vErrors.push(err28);
}
errors++;
}
}
}
if(data.sourceUnknownLengthZip64 !== undefined){
if(typeof data.sourceUnknownLengthZip64 !== "boolean"){
const err29 = {instancePath:instancePath+"/sourceUnknownLengthZip64",schemaPath:"#/properties/sourceUnknownLengthZip64/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err29];
}
else {
vErrors.push(err29);
}
errors++;
}
}
if(data.sourceRefuseUnverified !== undefined){
if(typeof data.sourceRefuseUnverified !== "boolean"){
const err30 = {instancePath:instancePath+"/sourceRefuseUnverified",schemaPath:"#/properties/sourceRefuseUnverified/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err30];
}
else {
vErrors.push(err30);
}
errors++;
}
}
if(data.sourceSequential !== undefined){
if(typeof data.sourceSequential !== "boolean"){
const err31 = {instancePath:instancePath+"/sourceSequential",schemaPath:"#/properties/sourceSequential/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err31];
}
else {
vErrors.push(err31);
}
errors++;
}
}
if(data.sourceCheckLimitMs !== undefined){
let data10 = data.sourceCheckLimitMs;
if(!(((typeof data10 == "number") && (!(data10 % 1) && !isNaN(data10))) && (isFinite(data10)))){
const err32 = {instancePath:instancePath+"/sourceCheckLimitMs",schemaPath:"#/properties/sourceCheckLimitMs/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err32];
}
else {
vErrors.push(err32);
}
errors++;
}
if((typeof data10 == "number") && (isFinite(data10))){
if(data10 > 60000 || isNaN(data10)){
const err33 = {instancePath:instancePath+"/sourceCheckLimitMs",schemaPath:"#/properties/sourceCheckLimitMs/maximum",keyword:"maximum",params:{comparison: "<=", limit: 60000},message:"must be <= 60000"};
if(vErrors === null){
vErrors = [err33];
}
else {
vErrors.push(err33);
}
errors++;
}
if(data10 < 0 || isNaN(data10)){
const err34 = {instancePath:instancePath+"/sourceCheckLimitMs",schemaPath:"#/properties/sourceCheckLimitMs/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err34];
}
else {
vErrors.push(err34);
}
errors++;
}
}
}
}
else {
const err35 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err35];
}
else {
vErrors.push(err35);
}
errors++;
}
validate11.errors = vErrors;
return errors === 0;
}
